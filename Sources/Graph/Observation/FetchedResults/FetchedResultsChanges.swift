public import StrataModel

/// The changes of the results of a ``FetchedResultsController``, in order, with the results before and after.
public struct FetchedResultsChanges<Result: ManagedObject> {
    /// An inserted or removed section; others keep their names.
    public enum SectionChange: Sendable, Hashable {
        /// A new section, at its index after the change.
        case insert(name: String, at: Int)
        /// A removed section, at its index before the change.
        case delete(name: String, at: Int)
    }

    /// An object that was inserted, deleted, moved or updated.
    public enum ObjectChange {
        /// A new result, with its index path after the change.
        case insert(Result, at: ResultIndexPath)
        /// An object that is no longer a result, with its index path before the change.
        case delete(Result, at: ResultIndexPath)
        /// An object in another section, or moved relative to others, with both index paths; it may be updated, too.
        case move(Result, from: ResultIndexPath, to: ResultIndexPath)
        /// An object that was updated without moving, with its index paths before and after.
        case update(Result, at: ResultIndexPath, newIndexPath: ResultIndexPath)
    }

    /// The removed sections, the last one first, and the inserted ones, the first one first.
    public let sectionChanges: [SectionChange]
    /// The removed objects, last first; the inserted ones, first one first; the moved ones; the updated ones.
    public let objectChanges: [ObjectChange]
    private let before: Before
    private let now: FetchedResults<Result>

    /// The former results, or the steps that made the present ones of them.
    private enum Before {
        case results(FetchedResults<Result>)
        case steps(leaving: [(object: Result, index: Int)], coming: [Int])
    }

    /// The results now, by ID.
    public var snapshot: FetchedResultsSnapshot { FetchedResultsSnapshot(now) }

    /// The difference of the results' IDs, without sections.
    ///
    /// - Complexity: O(n · d) in the results and in what is different.
    public var difference: CollectionDifference<ObjectID> {
        now.objects.map(\.objectID).difference(from: formerObjects.map(\.objectID)).inferringMoves()
    }

    private var formerObjects: [Result] {
        switch before {
        case .results(let results): return results.objects
        case .steps(let leaving, let coming):
            var objects = now.objects
            for index in coming.reversed() { objects.remove(at: index) }
            for (object, index) in leaving { objects.insert(object, at: index) }
            return objects
        }
    }

    var isEmpty: Bool { sectionChanges.isEmpty && objectChanges.isEmpty }

    init(from before: FetchedResults<Result>, to now: FetchedResults<Result>, touched: Set<ObjectIdentifier>) {
        self.before = .results(before)
        self.now = now
        sectionChanges = FetchedResultsChanges.sectionChanges(from: before.ranges, to: now.ranges)
        var objectChanges: [ObjectChange] = []
        let (oldPaths, newPaths) = (before.paths, now.paths)
        for object in before.objects.reversed() where newPaths[ObjectIdentifier(object)] == nil {
            if let path = oldPaths[ObjectIdentifier(object)] { objectChanges.append(.delete(object, at: path)) }
        }
        var kept: [(object: Result, from: ResultIndexPath, to: ResultIndexPath)] = []
        for object in now.objects {
            guard let to = newPaths[ObjectIdentifier(object)] else { continue }
            if let from = oldPaths[ObjectIdentifier(object)] {
                kept.append((object, from, to))
            } else {
                objectChanges.append(.insert(object, at: to))
            }
        }
        let unmoved = UnmovedIndices.indices(of: kept.map { ($0.from, isPreferred: !touched.contains(ObjectIdentifier($0.object))) })
        let (old, new) = (before.ranges.map(\.key), now.ranges.map(\.key))
        var updates: [ObjectChange] = []
        for (index, (object, from, to)) in kept.enumerated() {
            if !unmoved.contains(index) || old[from.section] != new[to.section] {
                objectChanges.append(.move(object, from: from, to: to))
            } else if touched.contains(ObjectIdentifier(object)) {
                updates.append(.update(object, at: from, newIndexPath: to))
            }
        }
        self.objectChanges = objectChanges + updates
    }

    /// Creates the changes that steps made, as the comparison of all results would.
    ///
    /// - Parameters:
    ///   - leaving: The former results that left or moved, by ascending index, with their paths.
    ///   - ranges: The former sections.
    ///   - coming: The results that came or moved, in their order.
    init(
        leaving: [(object: Result, index: Int, path: ResultIndexPath)], of ranges: [FetchedResults<Result>.Section], coming: [Result],
        to now: FetchedResults<Result>
    ) {
        let indices = coming.map { now.index(of: $0) ?? 0 }
        self.now = now
        before = .steps(leaving: leaving.map { ($0.object, $0.index) }, coming: indices)
        sectionChanges = FetchedResultsChanges.sectionChanges(from: ranges, to: now.ranges)
        var former: [ObjectIdentifier: Int] = [:]
        for (number, (object, _, _)) in leaving.enumerated() { former[ObjectIdentifier(object)] = number }
        let present = Set(coming.map { ObjectIdentifier($0) })
        var objectChanges: [ObjectChange] = []
        for (object, _, path) in leaving.reversed() where !present.contains(ObjectIdentifier(object)) {
            objectChanges.append(.delete(object, at: path))
        }
        // The other results keep their order: a changed one keeps its position among them, too, where as many of them
        // precede it as before.
        var kept: [(object: Result, from: ResultIndexPath, to: ResultIndexPath)] = []
        var fitting: [Int: [(kept: Int, index: Int)]] = [:]
        for (number, object) in coming.enumerated() {
            let to = now.path(ofIndex: indices[number])
            guard let old = former[ObjectIdentifier(object)] else {
                objectChanges.append(.insert(object, at: to))
                continue
            }
            let gap = indices[number] - number
            if leaving[old].index - old == gap { fitting[gap, default: []].append((kept.count, leaving[old].index)) }
            kept.append((object, leaving[old].path, to))
        }
        var unmoved: Set<Int> = []
        for gap in fitting.values {
            for position in UnmovedIndices.indices(of: gap.map { ($0.index, isPreferred: false) }) { unmoved.insert(gap[position].kept) }
        }
        var updates: [ObjectChange] = []
        for (number, (object, from, to)) in kept.enumerated() {
            if unmoved.contains(number) && ranges[from.section].key == now.ranges[to.section].key {
                updates.append(.update(object, at: from, newIndexPath: to))
            } else {
                objectChanges.append(.move(object, from: from, to: to))
            }
        }
        self.objectChanges = objectChanges + updates
    }

    /// Creates the updates of results that stay where they are.
    init(updated objects: some Sequence<ManagedObject>, in results: FetchedResults<Result>) {
        (before, now, sectionChanges) = (.results(results), results, [])
        let updated = objects.compactMap { object in results.index(of: object).flatMap { index in (object as? Result).map { ($0, index) } }
        }
        objectChanges = updated.sorted { $0.1 < $1.1 }.map { object, index in
            let path = results.path(ofIndex: index)
            return .update(object, at: path, newIndexPath: path)
        }
    }

    private static func sectionChanges(
        from before: [FetchedResults<Result>.Section], to now: [FetchedResults<Result>.Section]
    ) -> [SectionChange] {
        let (old, new) = (Set(before.map(\.key)), Set(now.map(\.key)))
        let deleted = before.enumerated().reversed().filter { !new.contains($0.element.key) }
        let inserted = now.enumerated().filter { !old.contains($0.element.key) }
        return deleted.map { .delete(name: $0.element.name, at: $0.offset) }
            + inserted.map { .insert(name: $0.element.name, at: $0.offset) }
    }
}

extension FetchedResultsSnapshot {
    init<Result: ManagedObject>(_ results: FetchedResults<Result>) {
        let ids = results.objects.map(\.objectID)
        var start = 0
        sections = results.ranges.map { range in
            defer { start += range.count }
            return Section(name: range.name, objectIDs: Array(ids[start..<start + range.count]))
        }
    }
}
