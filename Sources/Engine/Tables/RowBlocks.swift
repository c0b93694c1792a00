import Synchronization

/// The rows of an entity hierarchy in a file, in blocks that are read when they are first needed.
public protocol RowBlockSource: AnyObject, Sendable {
    /// The number of blocks, which are in ascending order of references.
    var blockCount: Int { get }

    /// Returns the references of a block without their last six bits, and a bit for each row by these; without reading the block.
    func references(ofBlock index: Int) -> (key: UInt64, bitmap: UInt64)

    /// Reads the rows of a block: those of ``references(ofBlock:)``, in order.
    ///
    /// - Throws: `StoreError` with `corrupt` for a damaged block.
    func rows(ofBlock index: Int) throws -> ContiguousArray<Row>
}

/// The first damage that was found in the file of a version of the tables.
///
/// What reads rows cannot throw: it goes on without them, and the operation throws the error at its end.
final class TableDamage: Sendable {
    private let isFound = Atomic(false)
    private let error = Mutex<StoreError?>(nil)
    /// The path of the store, for errors.
    private let path: String?

    init(path: String?) { self.path = path }

    func note(_ found: any Error) {
        error.withLock { error in
            if error == nil { error = found as? StoreError ?? StoreError(.corrupt, .open, "malformed section", path: path) }
        }
        isFound.store(true, ordering: .releasing)
    }

    /// Throws the error, if there is one: what was read may be incomplete.
    @inline(__always)
    func check() throws(StoreError) { if isFound.load(ordering: .acquiring) { try fail() } }

    private func fail() throws(StoreError) { if let error = error.withLock({ $0 }) { throw error } }
}

/// The leaf of a ``RowTable`` whose rows are in a block of a file.
final class RowBlock: Sendable {
    private let source: any RowBlockSource
    private let index: Int
    private let damage: TableDamage
    private let made = AtomicLazyReference<RowNode>()

    init(_ source: any RowBlockSource, _ index: Int, _ damage: TableDamage) {
        (self.source, self.index, self.damage) = (source, index, damage)
    }

    /// The leaf with the rows, which are read now if they were not before; an empty one where they are damaged.
    var leaf: RowNode {
        if let made = made.load() { return made }
        do {
            return made.storeIfNil(RowNode(bitmap: source.references(ofBlock: index).bitmap, rows: try source.rows(ofBlock: index)))
        } catch {
            damage.note(error)
            return RowNode(bitmap: 0, rows: [])
        }
    }
}
