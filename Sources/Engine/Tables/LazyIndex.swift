import StrataStore
import Synchronization

/// An index of one version of a table, made when it is first asked for.
final class LazyIndex: Sendable {
    private let tree: Mutex<EntryTree<IndexOrder>?>

    init(_ tree: EntryTree<IndexOrder>? = nil) { self.tree = Mutex(tree) }

    /// The index, `nil` where nobody asked for it yet.
    var made: EntryTree<IndexOrder>? { tree.withLock { $0 } }

    /// Returns the index; others who ask wait until it is made.
    func tree(_ shape: IndexShape, _ rows: RowTable) -> EntryTree<IndexOrder> {
        tree.withLock { tree in
            if let tree { return tree }
            let made = shape.build(rows)
            tree = made
            return made
        }
    }

    /// Whether somebody asked for the index.
    var isMade: Bool { tree.withLock { $0 != nil } }

    /// Gives the index away, so that it can be changed without being copied.
    func take() -> EntryTree<IndexOrder>? {
        tree.withLock { tree in
            defer { tree = nil }
            return tree
        }
    }
}
