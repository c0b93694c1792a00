import StrataCoordinator
import StrataModel

/// What was changed, entity by entity: enough to tell which queries it can affect.
struct ChangeTally {
    /// What was changed of an entity's objects.
    struct Changes {
        /// Whether any came or went.
        var existence = false
        /// The changed properties; `nil` for any.
        var properties: PropertySet? = PropertySet()

        mutating func add(_ changed: PropertySet?) { properties = changed.flatMap { properties?.union($0) } }
    }

    private(set) var entities: [EntityIndex: Changes] = [:]
    /// The roots of the entities' trees.
    private(set) var roots: Set<EntityIndex> = []
    // Neighbours are mostly of one entity, and changed alike: what was added last is not looked up again.
    private var lastExistence: EntityIndex?
    private var lastChange: (entity: EntityIndex, properties: PropertySet)?

    /// Adds an object that came or went.
    mutating func addExistence(of object: ManagedObject) {
        let entity = object.entity
        if entity.index == lastExistence { return }
        change(entity) { $0.existence = true }
        lastExistence = entity.index
    }

    /// Adds an object of which some properties were changed; any where these are `nil`.
    mutating func add(_ properties: PropertySet?, of object: ManagedObject) {
        let entity = object.entity
        if let properties, let lastChange, lastChange.entity == entity.index, lastChange.properties.isSuperset(of: properties) { return }
        change(entity) { $0.add(properties) }
        lastChange = entities[entity.index]?.properties.map { (entity.index, $0) }
    }

    /// Adds what others saved.
    mutating func add(_ merged: RemoteChanges) {
        for id in merged.inserted + merged.deleted { change(id.entity) { $0.existence = true } }
        for id in merged.updated {
            let names = merged.changedProperties[id]
            change(id.entity) { $0.add(names.map { PropertySet(named: $0, of: id.entity) }) }
        }
    }

    private mutating func change(_ entity: EntityDescription, _ body: (inout Changes) -> Void) {
        body(&entities[entity.index, default: Changes()])
        roots.insert(entity.root)
    }
}
