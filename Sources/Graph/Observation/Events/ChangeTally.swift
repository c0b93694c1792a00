import StrataCoordinator
import StrataModel

/// The changes by entity: enough to select the queries that they affect.
struct ChangeTally {
    struct Changes {
        /// Whether any were inserted or removed.
        var existence = false
        var properties: PropertySet? = PropertySet()

        mutating func add(_ changed: PropertySet?) { properties = changed.flatMap { properties?.union($0) } }
    }

    private(set) var entities: [EntityIndex: Changes] = [:]
    private(set) var roots: Set<EntityIndex> = []
    // Consecutive objects are mostly of one entity, and changed alike: the last addition is not repeated.
    private var lastExistence: EntityIndex?
    private var lastChange: (entity: EntityIndex, properties: PropertySet)?

    /// Adds an inserted or removed object.
    mutating func addExistence(of object: ManagedObject) {
        let entity = object.entity
        if entity.index == lastExistence { return }
        change(entity) { $0.existence = true }
        lastExistence = entity.index
    }

    /// Adds an object with changed properties; any where these are `nil`.
    mutating func add(_ properties: PropertySet?, of object: ManagedObject) {
        let entity = object.entity
        if let properties, let lastChange, lastChange.entity == entity.index, lastChange.properties.isSuperset(of: properties) { return }
        change(entity) { $0.add(properties) }
        lastChange = entities[entity.index]?.properties.map { (entity.index, $0) }
    }

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
