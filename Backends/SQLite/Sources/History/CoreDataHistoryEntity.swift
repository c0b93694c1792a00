import StrataModel
import StrataSQL

/// The form of an entity's changes in a persistent history of Core Data's.
struct CoreDataHistoryEntity: Sendable {
    let entity: EntityDescription
    /// The number of the entity in the store.
    let number: Int
    let slots: HistorySlots
    /// The attributes in the columns of tombstones.
    let tombstones: [AttributeDescription]

    init?(_ entity: EntityDescription, _ schema: StoreSchema, _ model: ManagedObjectModel) {
        guard let table = schema.tables[entity.root] else { return nil }
        self.entity = entity
        number = schema.numbers[entity.index]
        slots = HistorySlots(of: entity, in: table, model)
        tombstones = entity.tombstones(model)
    }
}

extension EntityDescription {
    /// Returns the attributes preserved on deletion: inherited ones first, then by name.
    func tombstones(_ model: ManagedObjectModel) -> [AttributeDescription] {
        func depth(_ attribute: AttributeDescription) -> Int { model.entities[attribute.declaringEntity].superentityNames.count }
        return preservedAttributes.filter { !$0.isTransient }.sorted { a, b in
            let (first, second) = (depth(a), depth(b))
            return first == second ? a.name.utf16.lexicographicallyPrecedes(b.name.utf16) : first < second
        }
    }
}

extension HistorySlots {
    /// Returns the mask of changed properties.
    ///
    /// The order of the slots of to-many relationships is unknown: where one of a kind changed, all are set, so that no reader misses
    /// the change. All slots are set where an attribute is composite.
    func mask(ofChanges names: Set<String>) -> [UInt8] {
        if hasComposites { return full }
        let groups = slots.reduce(into: Set<Int>()) { groups, slot in
            if let group = slot.group, names.contains(slot.name) { groups.insert(group) }
        }
        return mask { slot in slot.group.map { groups.contains($0) } ?? names.contains(slot.name) }
    }

    /// Returns the names of the properties that a mask marks: all to-many relationships of a kind where any is marked, and all properties
    /// where the mask is unreadable.
    func changes(in mask: some Collection<UInt8>) -> Set<String> {
        guard !hasComposites, let set = set(in: mask) else { return Set(slots.map(\.name)) }
        let groups = Set(set.compactMap(\.group))
        return Set(slots.lazy.filter { slot in slot.group.map { groups.contains($0) } ?? set.contains(slot) }.map(\.name))
    }
}

extension HistorySlots.Slot {
    /// The name of the property.
    var name: String {
        switch self {
        case .toOne(let name), .number(let name), .order(let name), .attribute(let name), .oneToMany(let name), .manyToMany(let name): name
        }
    }

    /// The kind of a to-many relationship; `nil` for properties with a slot of their own.
    var group: Int? {
        switch self {
        case .oneToMany: 0
        case .manyToMany: 1
        default: nil
        }
    }
}
