import StrataModel

/// IDs, each once: an array, to which a table of places comes only where the IDs are many and somebody asks for one of them.
///
/// Most relationships have few destinations, or are filled and then read from end to end; neither needs any hashing.
struct ObjectIDSet {
    /// Up to so many IDs are compared one by one.
    private static let mostCompared = 8

    private var stored: [ObjectID] = []
    /// The number of IDs at the front of `stored` that are known to be there once.
    private var settledCount = 0
    /// The place of each ID that is known to be there once; empty while nobody asked.
    private var places: [ObjectID: Int] = [:]

    init() {}

    /// Some IDs, none of them twice.
    init(unique ids: [ObjectID]) {
        stored = ids
        settledCount = ids.count
    }

    /// The IDs, in the order in which they came as long as none was removed.
    var ids: [ObjectID] {
        mutating get {
            settle()
            return stored
        }
    }

    var isEmpty: Bool { stored.isEmpty }

    var count: Int {
        mutating get {
            settle()
            return stored.count
        }
    }

    mutating func contains(_ id: ObjectID) -> Bool { place(of: id) != nil }

    /// Adds an ID.
    ///
    /// - Returns: Whether it was not there.
    @discardableResult
    mutating func insert(_ id: ObjectID) -> Bool {
        if place(of: id) != nil { return false }
        if !places.isEmpty { places[id] = stored.count }
        stored.append(id)
        settledCount = stored.count
        return true
    }

    /// Adds an ID that is most likely not there; whether it is, is found out when somebody asks.
    mutating func append(_ id: ObjectID) { stored.append(id) }

    /// Removes an ID.
    ///
    /// - Returns: Whether it was there.
    @discardableResult
    mutating func remove(_ id: ObjectID) -> Bool {
        guard let place = place(of: id) else { return false }
        let last = stored.removeLast()
        settledCount = stored.count
        if !places.isEmpty { places[id] = nil }
        if place < stored.count {
            stored[place] = last
            if !places.isEmpty { places[last] = place }
        }
        return true
    }

    /// Removes the IDs that others are not among.
    mutating func formIntersection(_ others: [ObjectID]) {
        if stored.isEmpty { return }
        let others = Set(others)
        self = ObjectIDSet(unique: ids.filter(others.contains))
    }

    /// Removes the IDs that are among others.
    mutating func subtract(_ others: some Sequence<ObjectID>) {
        if stored.isEmpty { return }
        for id in others { remove(id) }
    }

    /// Puts other IDs in the place of some; no two become one.
    mutating func rename(_ newID: (ObjectID) -> ObjectID) {
        places = [:]
        for place in stored.indices {
            let id = newID(stored[place])
            if id.scope !== stored[place].scope || id.reference != stored[place].reference { stored[place] = id }
        }
    }

    private mutating func place(of id: ObjectID) -> Int? {
        settle()
        if stored.count <= ObjectIDSet.mostCompared { return stored.firstIndex(of: id) }
        if places.isEmpty {
            places.reserveCapacity(stored.count)
            for (place, id) in stored.enumerated() { places[id] = place }
        }
        return places[id]
    }

    /// Forgets what was appended and was there.
    private mutating func settle() {
        if settledCount == stored.count { return }
        let appended = stored[settledCount...]
        stored = Array(stored[..<settledCount])
        stored.reserveCapacity(settledCount + appended.count)
        for id in appended { insert(id) }
    }
}
