import StrataCoordinator
import StrataModel

/// What an event changed, entity by entity: enough to tell which queries it can affect.
struct ChangeSummary {
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
    /// Whether anything may have changed.
    let isAll: Bool
    /// The objects that changed, and stay.
    let touched: Set<ObjectIdentifier>

    init(_ event: ContextEvent) {
        isAll = event.kind == .didReset || (event.kind == .didMerge && event.merged == nil)
        touched = Set((event.updated + event.refreshed).map { ObjectIdentifier($0) })
        if let merged = event.merged { add(merged) }
        for object in event.inserted + event.deleted { change(object.entity) { $0.existence = true } }
        for object in event.updated + event.refreshed { change(object.entity) { $0.add(event.properties(of: object)) } }
    }

    private mutating func add(_ merged: RemoteChanges) {
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
