import StrataCoordinator
import StrataModel

/// What an event changed, entity by entity: enough to tell which queries it can affect.
final class ChangeSummary {
    /// What was changed of an entity's objects.
    struct Changes {
        /// Whether any came or went.
        var existence = false
        /// The changed properties; `nil` for any.
        var properties: PropertySet? = PropertySet()

        mutating func add(_ changed: PropertySet?) { properties = changed.flatMap { properties?.union($0) } }

        mutating func add(_ other: Changes) {
            existence = existence || other.existence
            add(other.properties)
        }
    }

    private(set) var entities: [EntityIndex: Changes] = [:]
    /// The roots of the entities' trees.
    private(set) var roots: Set<EntityIndex> = []
    /// Whether anything may have changed.
    let isAll: Bool
    private let event: ContextEvent
    /// The objects that changed, and stay.
    private(set) lazy var touched = Set([event.updated, event.refreshed].joined().lazy.map { ObjectIdentifier($0) })

    init(_ event: ContextEvent) {
        self.event = event
        isAll = event.kind == .didReset || (event.kind == .didMerge && event.merged == nil)
        if let merged = event.merged { add(merged) }
        add(event.inserted) { $1.existence = true }
        add(event.deleted) { $1.existence = true }
        add(event.updated) { $1.add(event.updatedProperties[$0]) }
        add(event.refreshed) { $1.add(event.refreshedProperties[$0]) }
    }

    /// Whether any of some objects changed, and stays.
    func touches(_ members: some Collection<ObjectIdentifier>) -> Bool {
        if members.isEmpty || (event.updated.isEmpty && event.refreshed.isEmpty) { return false }
        return members.count < touched.count ? members.contains(where: touched.contains) : touched.contains(where: members.contains)
    }

    /// Adds what was changed of objects, each of which has a place among them.
    // Neighbours are mostly of one entity, which is looked up once for all of them.
    @inline(__always)
    private func add(_ objects: [ManagedObject], _ change: (Int, inout Changes) -> Void) {
        guard var entity = objects.first?.entity else { return }
        var changes = Changes()
        for (place, object) in objects.enumerated() {
            if object.entity !== entity {
                add(changes, of: entity)
                (entity, changes) = (object.entity, Changes())
            }
            change(place, &changes)
        }
        add(changes, of: entity)
    }

    private func add(_ merged: RemoteChanges) {
        for id in merged.inserted + merged.deleted { add(Changes(existence: true), of: id.entity) }
        for id in merged.updated {
            let names = merged.changedProperties[id]
            add(Changes(properties: names.map { PropertySet(named: $0, of: id.entity) }), of: id.entity)
        }
    }

    private func add(_ changes: Changes, of entity: EntityDescription) {
        entities[entity.index, default: Changes()].add(changes)
        roots.insert(entity.root)
    }
}
