import StrataModel
import StrataSQL

/// The properties of the bits of a change's mask, in the persistent history of an entity: Core Data stores a mask in
/// `ACHANGE.ZCOLUMNS` for each update.
///
/// The slots of to-one relationships, of their further columns, and of attributes are in the order of the declaring
/// entities, the root first, and of their names; those of to-many relationships follow in an unknown order.
struct HistorySlots {
    enum Slot: Hashable {
        case toOne(String)
        case number(String)
        case order(String)
        case attribute(String)
        case oneToMany(String)
        case manyToMany(String)
    }

    let slots: [Slot]
    /// Whether an attribute is composite, for which the slots are unknown.
    let hasComposites: Bool

    init(of entity: EntityDescription, in table: EntityTable, _ model: ManagedObjectModel) {
        func ordered<Property>(_ properties: [Property], _ key: (Property) -> (EntityIndex, String)) -> [Property] {
            properties.sorted { a, b in
                let (a, b) = (key(a), key(b))
                let (first, second) = (model.entities[a.0].superentityNames.count, model.entities[b.0].superentityNames.count)
                return first == second ? a.1.utf16.lexicographicallyPrecedes(b.1.utf16) : first < second
            }
        }
        let relationships = ordered(entity.relationships.filter { !$0.isTransient && !$0.isHidden }) { ($0.declaringEntity, $0.name) }
        let attributes = ordered(entity.attributes.filter { !$0.isTransient }) { ($0.declaringEntity, $0.name) }
        let toOne = relationships.filter { !$0.isToMany }
        let columns = Set(table.columns(of: entity.index))
        let orders = table.columns.enumerated().filter { columns.contains($0) && $1.kind == .order }.map(\.element.property)
        let owned = Set(toOne.map(\.name))
        let toMany = relationships.filter(\.isToMany)
        let isMany = { (relationship: RelationshipDescription) in model.inverse(of: relationship)?.isToMany == true }
        slots =
            toOne.map { .toOne($0.name) }
            + toOne.filter { model.entities[$0.destination].hierarchy.count > 1 }.map { .number($0.name) }
            + orders.filter { owned.contains($0) }.map { .order($0) } + attributes.map { .attribute($0.name) }
            + toMany.filter { !isMany($0) }.map { .oneToMany($0.name) } + toMany.filter(isMany).map { .manyToMany($0.name) }
        hasComposites = !entity.compositeAttributes.isEmpty
    }

    var byteCount: Int { (slots.count + 7) / 8 }

    /// The mask in which every slot is set.
    var full: [UInt8] { mask { _ in true } }

    func mask(_ isSet: (Slot) -> Bool) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        for (index, slot) in slots.enumerated() where isSet(slot) { bytes[index / 8] |= 0x80 >> UInt8(index % 8) }
        return bytes
    }

    /// Returns the slots that are set in a mask; `nil` for a mask of another length, or with bits beyond the slots.
    func set(in mask: some Collection<UInt8>) -> Set<Slot>? {
        let bytes = Array(mask)
        guard bytes.count == byteCount, zip(bytes, full).allSatisfy({ $0 & ~$1 == 0 }) else { return nil }
        return Set(slots.indices.filter { bytes[$0 / 8] & 0x80 >> UInt8($0 % 8) != 0 }.map { slots[$0] })
    }
}
