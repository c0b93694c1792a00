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
    private let before: FetchedResults<Result>
    private let now: FetchedResults<Result>

    /// The results now, by ID.
    public var snapshot: FetchedResultsSnapshot { FetchedResultsSnapshot(now) }

    /// The difference of the results' IDs, without sections.
    ///
    /// - Complexity: O(n · d) in the results and in what is different.
    public var difference: CollectionDifference<ObjectID> {
        now.objects.map(\.objectID).difference(from: before.objects.map(\.objectID)).inferringMoves()
    }

    var isEmpty: Bool { sectionChanges.isEmpty && objectChanges.isEmpty }

    init(from before: FetchedResults<Result>, to now: FetchedResults<Result>, touched: Set<ObjectIdentifier>) {
        self.before = before
        self.now = now
        sectionChanges = FetchedResultsChanges.sectionChanges(from: before, to: now)
        var objectChanges: [ObjectChange] = []
        for object in before.objects.reversed() where now.path(of: object) == nil {
            if let path = before.path(of: object) { objectChanges.append(.delete(object, at: path)) }
        }
        var kept: [(object: Result, from: ResultIndexPath, to: ResultIndexPath)] = []
        for object in now.objects {
            guard let to = now.path(of: object) else { continue }
            if let from = before.path(of: object) { kept.append((object, from, to)) } else { objectChanges.append(.insert(object, at: to)) }
        }
        let unmoved = UnmovedIndices.indices(of: kept.map { ($0.from, isPreferred: !touched.contains(ObjectIdentifier($0.object))) })
        let (old, new) = (before.sections.map { SectionKey($0.name) }, now.sections.map { SectionKey($0.name) })
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

    private static func sectionChanges(from before: FetchedResults<Result>, to now: FetchedResults<Result>) -> [SectionChange] {
        let (old, new) = (Set(before.sections.map { SectionKey($0.name) }), Set(now.sections.map { SectionKey($0.name) }))
        let deleted = before.sections.enumerated().reversed().filter { !new.contains(SectionKey($0.element.name)) }
        let inserted = now.sections.enumerated().filter { !old.contains(SectionKey($0.element.name)) }
        return deleted.map { .delete(name: $0.element.name, at: $0.offset) }
            + inserted.map { .insert(name: $0.element.name, at: $0.offset) }
    }
}

extension FetchedResultsSnapshot {
    init<Result: ManagedObject>(_ results: FetchedResults<Result>) {
        sections = results.sections.map { Section(name: $0.name, objectIDs: $0.objects.map(\.objectID)) }
    }
}
