/// The objects that were made last for reads of to-one relationships, which a context retains.
///
/// A loop whose objects share destinations, and that retains none of these, would otherwise read each of them again at
/// every step. They are released with the prefetched rows: when the context saves, refreshes, merges or is reset.
struct RecentDestinations {
    private var objects: [ManagedObject] = []
    private var next = 0

    /// Retains an object in the slot of the oldest one.
    ///
    /// - Returns: The oldest one, which the caller releases: its deinitializer may run an application's code.
    mutating func add(_ object: ManagedObject) -> ManagedObject? {
        guard objects.count == PrefetchPolicy.retainedDestinations else {
            objects.append(object)
            return nil
        }
        let oldest = objects[next]
        objects[next] = object
        next = (next + 1) % objects.count
        return oldest
    }

    mutating func takeAll() -> [ManagedObject] {
        if objects.isEmpty { return [] }
        defer { self = RecentDestinations() }
        return objects
    }
}

extension RowLoader {
    /// Retains an object that was made for a read of a to-one relationship.
    func keepRecent(_ object: ManagedObject) {
        // With a staleness interval rows are read when their faults fire.
        if stalenessInterval != nil { return }
        let oldest = prefetcher.recent.add(object)
        withExtendedLifetime(oldest) {}
    }
}
