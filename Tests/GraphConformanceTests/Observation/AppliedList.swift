import Strata

@testable import StrataConformance

/// A list that a controller's changes are applied to, one by one, as a table on a screen would.
final class AppliedList {
    private(set) var sections: [(name: String, ids: [ObjectIdentifier])] = []
    private(set) var notificationCount = 0

    func begin(_ controller: FetchedResultsController<ManagedObject>) {
        sections = (controller.sections ?? []).map { ($0.name, $0.objects.map { ObjectIdentifier($0) }) }
    }

    func apply(_ changes: FetchedResultsChanges<ManagedObject>) throws {
        notificationCount += 1
        // Removals come first, by the index paths before, the last one first; insertions by the index paths of now,
        // the first one first.
        var leaving: [ResultIndexPath] = []
        var coming: [(path: ResultIndexPath, id: ObjectIdentifier)] = []
        for change in changes.objectChanges {
            switch change {
            case .delete(let object, let path):
                try expectEqual(sections[path.section].ids[path.item], ObjectIdentifier(object), "the index path of a deletion")
                leaving.append(path)
            case .insert(let object, let path): coming.append((path, ObjectIdentifier(object)))
            case .move(let object, let from, let to):
                try expectEqual(sections[from.section].ids[from.item], ObjectIdentifier(object), "the index path before a move")
                leaving.append(from)
                coming.append((to, ObjectIdentifier(object)))
            case .update(let object, let path, _):
                try expectEqual(sections[path.section].ids[path.item], ObjectIdentifier(object), "the index path of an update")
            }
        }
        for path in leaving.sorted(by: >) { sections[path.section].ids.remove(at: path.item) }
        for change in changes.sectionChanges {
            switch change {
            case .delete(let name, let index):
                try expectEqual(sections[index].name, name)
                try expectEqual(sections[index].ids.count, 0, "a section goes with objects")
                sections.remove(at: index)
            case .insert(let name, let index): sections.insert((name, []), at: index)
            }
        }
        // Sections that moved are ordered as those of now.
        let indexes = Dictionary(
            uniqueKeysWithValues: changes.snapshot.sections.enumerated().map { (Array($0.element.name.utf8), $0.offset) })
        sections.sort { (indexes[Array($0.name.utf8)] ?? 0) < (indexes[Array($1.name.utf8)] ?? 0) }
        for change in coming.sorted(by: { $0.path < $1.path }) {
            sections[change.path.section].ids.insert(change.id, at: change.path.item)
        }
    }
}

/// The first error of closures that cannot throw.
final class FirstFailure {
    var first: (any Error)?
}
