import StrataModel

/// The objects that were made last for reads of to-one relationships, which are retained.
///
/// A loop whose objects share destinations, and that holds none of these, would otherwise read each of them again and
/// again. They are released with the rows that were prefetched: when the context saves, refreshes or merges.
struct RecentDestinations {
    private var objects: [ManagedObject] = []
    private var next = 0

    /// Retains an object; returns the one that is released for it, whose end may run an application's code.
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
        defer { self = RecentDestinations() }
        return objects
    }
}

/// The tables of the destinations of the to-one relationships that were read last: a loop reads the same few again.
@safe struct LastDestinations {
    @safe private struct Entry {
        let scope: ObjectIDScope
        let property: Int
        // Unmanaged, as each read would count it: the identity map retains its tables until it forgets all objects.
        let table: Unmanaged<IdentityTable>
    }

    /// By the last bits of the property.
    private var entries = [Entry?](repeating: nil, count: 4)

    /// Returns the registered object with a reference in the row of an owner, by the owner's scope.
    @inline(__always)
    func object(_ reference: Int64, from scope: ObjectIDScope, _ property: Int) -> ManagedObject? {
        guard let entry = entries[property & 3], entry.scope == scope && entry.property == property else { return nil }
        return unsafe entry.table._withUnsafeGuaranteedRef { $0[reference] }
    }

    mutating func note(_ table: IdentityTable, of property: Int, from scope: ObjectIDScope) {
        entries[property & 3] = unsafe Entry(scope: scope, property: property, table: Unmanaged.passUnretained(table))
    }
}

extension RowLoader {
    /// Retains an object that a read of a to-one relationship made.
    func keepRecent(_ object: ManagedObject) {
        let oldest = prefetcher.recent.add(object)
        withExtendedLifetime(oldest) {}
    }

    /// Discards all prefetched rows, and releases the last destinations.
    func forgetAllRows() {
        prefetcher.forgetRows()
        LeavingList.releaseAll(prefetcher.recent.takeAll())
    }
}
