import StrataModel

/// A set of IDs: an array of references, with a hash table only where they are many, not ascending, and membership is
/// tested.
///
/// Most relationships have few destinations, or are filled and then read from end to end, which needs no hashing. Their
/// references mostly ascend, as stores return them and new objects get them, so that a binary search finds one. And
/// mostly all IDs share their scope, which is held once.
struct ObjectIDSet {
    /// The greatest number of IDs that is searched linearly.
    private static let mostCompared = 16

    private var references: [Int64] = []
    /// The scope that all IDs share, or that of the first one.
    private var scope: ObjectIDScope?
    /// The scope of each ID where they differ; empty otherwise.
    private var scopes: ContiguousArray<ObjectIDScope> = []
    /// Whether the references ascend, and all IDs share their scope: they are unique then.
    private var isAscending = true
    /// The number of IDs at the front that are known to be unique.
    private var settledCount = 0
    /// The index of each ID that is known to be unique; empty before the first search.
    private var indices: [ObjectID: Int] = [:]

    init() {}

    init(unique ids: [ObjectID]) {
        references.reserveCapacity(ids.count)
        for id in ids { push(id) }
        settledCount = ids.count
    }

    /// The IDs, in the order of insertion as long as none was removed.
    var ids: [ObjectID] {
        mutating get {
            settle()
            return references.indices.map { self[$0] }
        }
    }

    var isEmpty: Bool { references.isEmpty }

    var count: Int {
        mutating get {
            settle()
            return references.count
        }
    }

    mutating func contains(_ id: ObjectID) -> Bool { index(of: id) != nil }

    @discardableResult
    mutating func insert(_ id: ObjectID) -> Bool {
        if isAbove(id) {
            push(id)
            settledCount = references.count
            return true
        }
        if index(of: id) != nil { return false }
        if !indices.isEmpty { indices[id] = references.count }
        push(id)
        settledCount = references.count
        return true
    }

    /// Returns whether an ID is above all others, which ascend.
    @inline(__always)
    private func isAbove(_ id: ObjectID) -> Bool {
        guard let last = references.last else { return false }
        return isAscending && id.scope == scope && id.reference > last
    }

    /// Adds an ID that is most likely new; duplicates are removed at the next search.
    @inline(__always)
    mutating func append(_ id: ObjectID) { push(id) }

    @discardableResult
    mutating func remove(_ id: ObjectID) -> Bool {
        guard let index = index(of: id) else { return false }
        let last = self[references.count - 1]
        references.removeLast()
        if !scopes.isEmpty { scopes.removeLast() }
        settledCount = references.count
        if !indices.isEmpty { indices[id] = nil }
        if index < references.count {
            isAscending = false
            references[index] = last.reference
            if !scopes.isEmpty { scopes[index] = last.scope }
            if !indices.isEmpty { indices[last] = index }
        }
        if references.isEmpty { (scopes, isAscending) = ([], true) }
        return true
    }

    mutating func subtract(_ others: some Sequence<ObjectID>) {
        if references.isEmpty { return }
        for id in others { remove(id) }
    }

    /// Replaces some IDs by others, which stay distinct.
    mutating func rename(_ newID: (ObjectID) -> ObjectID) {
        let old = self
        references.removeAll(keepingCapacity: true)
        (scopes, indices, isAscending) = ([], [:], true)
        for index in old.references.indices { push(newID(old[index])) }
    }

    /// Replaces temporary IDs by those of a save.
    mutating func rename(_ saved: SavedIDs) {
        guard let scope, scopes.isEmpty, let newScope = saved.scope(scope), saved.rename(&references) else { return rename { saved[$0] } }
        self.scope = newScope
        indices = [:]
        isAscending = ObjectIDSet.ascend(references[...], above: nil)
    }

    private subscript(index: Int) -> ObjectID {
        ObjectID(scope: (scopes.isEmpty ? scope : nil) ?? scopes[index], reference: references[index])
    }

    @inline(__always)
    private mutating func push(_ id: ObjectID) {
        if !isAbove(id) { isAscending = references.isEmpty }
        if id.scope != scope || !scopes.isEmpty { adopt(id.scope) }
        references.append(id.reference)
    }

    /// Records the scope of an ID that is about to be added.
    private mutating func adopt(_ new: ObjectIDScope) {
        if references.isEmpty {
            scope = new
            return
        }
        if scopes.isEmpty, let scope { scopes = ContiguousArray(repeating: scope, count: references.count) }
        scopes.append(new)
    }

    private mutating func index(of id: ObjectID) -> Int? {
        if references.isEmpty { return nil }
        settle()
        if isAscending {
            let index = lowerBound(id.reference)
            return index < references.count && references[index] == id.reference && self[index] == id ? index : nil
        }
        if references.count <= ObjectIDSet.mostCompared {
            return references.indices.first { references[$0] == id.reference && self[$0] == id }
        }
        if indices.isEmpty {
            indices.reserveCapacity(references.count)
            for index in references.indices { indices[self[index]] = index }
        }
        return indices[id]
    }

    /// Returns the index of the first reference that is not below another one, in ascending references.
    private func lowerBound(_ reference: Int64) -> Int {
        var (low, high) = (0, references.count)
        while low < high {
            let middle = (low + high) / 2
            if references[middle] < reference { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Removes appended duplicates.
    private mutating func settle() {
        if settledCount == references.count { return }
        if isAscending {
            settledCount = references.count
            return
        }
        let appended = references[settledCount...]
        // References above all others are new. Few may be appended again and again: checking the others has to pay off.
        if scopes.isEmpty && indices.isEmpty && 2 * appended.count >= settledCount
            && ObjectIDSet.ascend(appended, above: references[..<settledCount].max())
        {
            settledCount = references.count
            return
        }
        let ids = appended.indices.map { self[$0] }
        references.removeSubrange(settledCount...)
        if !scopes.isEmpty { scopes.removeSubrange(settledCount...) }
        for id in ids { insert(id) }
    }

    private static func ascend(_ references: ArraySlice<Int64>, above least: Int64?) -> Bool {
        var last = least ?? Int64.min
        for reference in references {
            guard reference > last else { return false }
            last = reference
        }
        return true
    }
}
