import StrataStore

/// The derived attributes of a model, in the order of dependence.
struct Derivations: Sendable {
    let all: [DerivedExpression]
    let rules: ReferenceRules
    /// The roots of the hierarchies whose rows have derived values, or are read for them.
    private let roots: Set<EntityIndex>
    /// The link tables that derivations read.
    private let tables: Set<Int>

    /// - Returns: `nil` for a model without derived attributes.
    /// - Throws: `StoreError` with `unsupported` where a derivation is not supported.
    init?(_ rules: ReferenceRules) throws {
        let model = rules.model
        if model.entities.allSatisfy(\.derivedAttributes.isEmpty) { return nil }
        var found: [DerivedExpression] = []
        for entity in model.entities {
            for attribute in entity.derivedAttributes where attribute.declaringEntity == entity.index {
                do {
                    if let derived = try DerivedExpression(attribute, of: entity, in: model) { found.append(derived) }
                } catch {
                    throw Derivations.unsupported(attribute, of: entity, "it cannot be derived as it says", error)
                }
            }
        }
        all = try Derivations.ordered(found)
        self.rules = rules
        let steps = all.flatMap(\.sources).flatMap(\.steps)
        roots = Set(all.map(\.entity.root) + steps.map(\.destination.root))
        tables = Set(steps.compactMap { if case .links(let table, _) = $0.relationship.storage { table } else { nil } })
    }

    private static func unsupported(
        _ attribute: AttributeDescription, of entity: EntityDescription, _ message: String, _ error: (any Error)? = nil
    ) -> StoreError {
        let reason = error.map { ": \($0)" } ?? ""
        return StoreError(
            .unsupported, .open, "\(entity.name).\(attribute.name): \(message)\(reason)", entity: entity.name, key: attribute.name,
            underlying: error)
    }

    /// - Throws: `StoreError` where derivations are circular.
    private static func ordered(_ found: [DerivedExpression]) throws -> [DerivedExpression] {
        var waiting = found
        var ordered: [DerivedExpression] = []
        while !waiting.isEmpty {
            guard let next = waiting.firstIndex(where: { derived in !waiting.contains { derived.reads($0) } }) else {
                throw unsupported(waiting[0].attribute, of: waiting[0].entity, "attributes are derived of each other")
            }
            ordered.append(waiting.remove(at: next))
        }
        return ordered
    }

    /// Returns whether derivations read or write rows of an entity.
    func concern(_ entity: EntityIndex) -> Bool {
        rules.model.entities.typedIndices().contains(entity) && roots.contains(rules.model.entities[entity].root)
    }

    /// Returns whether derivations read or write rows of any of some entities.
    func concern(anyOf entities: Range<EntityIndex>) -> Bool { entities.contains { concern($0) } }

    func ignore(_ changes: ChangeSet) -> Bool {
        !changes.inserted.contains { concern($0.entityIndex) } && !changes.updated.contains { concern($0.row.entityIndex) }
            && !changes.deleted.contains { concern($0.entity) } && !changes.links.contains { tables.contains($0.table) }
    }
}

extension DerivedExpression {
    /// Returns whether the value depends on another derived attribute.
    fileprivate func reads(_ other: DerivedExpression) -> Bool {
        sources.contains { $0.slot == other.slot && ($0.steps.last?.destination ?? entity).isKind(of: other.entity) }
    }
}
