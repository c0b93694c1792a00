import Synchronization

/// An index of one version of a table, built on first use.
final class LazyIndex: Sendable {
    private let tree: Mutex<EntryTree<IndexOrder>?>

    init(_ tree: EntryTree<IndexOrder>? = nil) { self.tree = Mutex(tree) }

    /// The index; `nil` before its first use.
    var made: EntryTree<IndexOrder>? { tree.withLock { $0 } }

    /// Returns the index; other threads wait until it is built.
    func tree(_ shape: IndexShape, _ rows: RowTable) -> EntryTree<IndexOrder> {
        tree.withLock { tree in
            if let tree { return tree }
            let made = shape.build(rows)
            tree = made
            return made
        }
    }

    var isMade: Bool { tree.withLock { $0 != nil } }

    /// Takes the index out, so that it can be changed without being copied.
    func take() -> EntryTree<IndexOrder>? {
        tree.withLock { tree in
            defer { tree = nil }
            return tree
        }
    }
}
