/// A held version of a store of tables, which shares unchanged parts with later versions.
final class TableSnapshot: StoreSnapshot {
    private let reader: TableReader
    /// Throws where the store was closed.
    private let check: @Sendable () throws -> Void

    init(_ reader: TableReader, _ check: @escaping @Sendable () throws -> Void) {
        self.reader = reader
        self.check = check
    }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        try check()
        return try body(reader)
    }
}
