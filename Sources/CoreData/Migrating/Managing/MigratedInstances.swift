import StrataModel

/// The destination objects by source object, by the names of the entity mappings.
struct MigratedInstances {
    /// The objects that one entity mapping made.
    private struct Made {
        var destinations: [NSManagedObject] = []
        var sources: [NSManagedObjectID] = []
        var bySource: [NSManagedObjectID: [NSManagedObject]] = [:]
        var byDestination: [ObjectIdentifier: [NSManagedObjectID]] = [:]
    }

    private var made: [String: Made] = [:]

    mutating func add(_ destination: NSManagedObject, of source: NSManagedObject, by name: String) {
        let (id, key) = (source.objectID, ObjectIdentifier(destination))
        if made[name]?.byDestination[key] == nil { made[name, default: Made()].destinations.append(destination) }
        if made[name]?.bySource[id] == nil { made[name, default: Made()].sources.append(id) }
        made[name, default: Made()].bySource[id, default: []].append(destination)
        made[name, default: Made()].byDestination[key, default: []].append(id)
    }

    func destinations(of sources: [NSManagedObject]?, by name: String) -> [NSManagedObject] {
        guard let made = made[name] else { return [] }
        let found = sources.map { $0.flatMap { made.bySource[$0.objectID] ?? [] } } ?? made.destinations
        // A policy may have deleted them.
        return found.filter { !$0.isDeleted && $0.managedObjectContext != nil }
    }

    func sources(of destinations: [NSManagedObject]?, by name: String) -> [NSManagedObjectID] {
        guard let made = made[name] else { return [] }
        return destinations.map { $0.flatMap { made.byDestination[ObjectIdentifier($0)] ?? [] } } ?? made.sources
    }
}
