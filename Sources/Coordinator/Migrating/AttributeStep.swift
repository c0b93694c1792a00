import StrataStore

/// The migration of an attribute's slot.
struct AttributeStep: Sendable {
    private let entity: EntityDescription
    private let attribute: AttributeDescription
    private let slot: Slot
    private let origin: (slot: Slot, kind: SlotKind)?
    private let isNewlyRequired: Bool
    private let filling: MigrationRoutes.Filling

    init?(_ attribute: AttributeDescription, of entity: EntityDescription, _ routes: MigrationRoutes) {
        guard let slot = attribute.slot else { return nil }
        self.entity = entity
        self.attribute = attribute
        self.slot = slot
        let old = routes.origin(of: attribute.name, in: entity)?.attribute
        origin = old.flatMap { old in old.slot.map { ($0, old.slotKind) } }
        isNewlyRequired = attribute.requiresValue && old?.isOptional != false
        filling = routes.filling(of: attribute, in: entity)
    }

    func fill(_ writer: inout RowWriter, from row: Row) throws {
        if let origin, !row.isNull(origin.slot) || origin.kind.isVariable && row.isUnavailable(origin.slot) {
            // The text of a URL, as it is, and the mark of a lost value.
            let isLost = row.isNull(origin.slot) && attribute.slotKind.isVariable
            if origin.kind == attribute.slotKind || origin.kind == .uri || isLost {
                return writer.copy(origin.slot, to: slot, origin.kind, from: row)
            }
            // Every value of another kind of slot fits: only types that convert without loss are migrated so.
            let value = attribute.type.converted(row.value(origin.slot, origin.kind)) ?? .null
            return writer.set(value, at: slot, attribute.slotKind)
        }
        if isFilled(row) { writer.set(attribute.defaultValue, at: slot, attribute.slotKind) }
        if isNewlyRequired && attribute.defaultValue.isNull {
            throw refused("the attribute is required and has no default, and there is an object without a value", row)
        }
    }

    /// Returns whether an object without a value gets the default.
    private func isFilled(_ row: Row) -> Bool {
        switch filling {
        case .none: false
        case .all: true
        case .some(let any, let none):
            any.contains { !row.isNull($0) } || !none.isEmpty && none.allSatisfy { row.isNull($0) }
        }
    }

    private func refused(_ message: String, _ row: Row) -> StoreError {
        StoreError(.migration, .migrate, "\(message) (p\(row.reference))", entity: entity.name, key: attribute.name)
    }
}
