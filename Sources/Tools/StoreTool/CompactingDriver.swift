public import StrataLMDB
public import StrataSQLite

/// A driver of files that keep the space of deleted objects for later saves.
public protocol CompactingDriver {
    /// Returns the number of bytes that are unused.
    func unusedByteCount(at path: String) throws -> Int64
    /// Rewrites a store's file without them.
    func compact(at path: String) throws
}

extension SQLiteDriver: CompactingDriver {}
extension LMDBDriver: CompactingDriver {}
