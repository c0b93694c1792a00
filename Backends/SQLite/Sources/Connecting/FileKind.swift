import StrataFiles
import StrataStore

/// What a path leads to, by the first bytes.
enum FileKind: Equatable {
    /// Nothing, or a file of no length.
    case nothing
    case database
    /// A store of another kind.
    case otherStore(String)
    case foreign

    /// Looks at a file.
    ///
    /// - Throws: ``StoreError`` with `missing` where the directory is, `denied`, `foreign` for a directory.
    static func probe(_ path: String, _ operation: String) throws -> FileKind {
        let system = PosixFileSystem.shared
        do {
            guard let status = try system.statusIfPresent(of: path) else {
                guard try system.statusIfPresent(of: PathName.parent(of: path))?.isDirectory == true else {
                    throw StoreError(.missing, operation, "there is no directory \(PathName.parent(of: path))", path: path)
                }
                return .nothing
            }
            if status.isDirectory { throw StoreError(.foreign, operation, "this is a directory", path: path) }
            if status.size == 0 { return .nothing }
            let file = try system.open(path, .read)
            var head = [UInt8](repeating: 0, count: 32)
            let count = try head.withUnsafeMutableBytes { buffer throws(FileError) in try file.read(into: buffer, at: 0) }
            return kind(of: head.prefix(count))
        } catch let error as FileError {
            throw StoreError(error, operation, path: path)
        }
    }

    private static func kind(of head: ArraySlice<UInt8>) -> FileKind {
        func begins(_ text: String) -> Bool { head.starts(with: text.utf8) }
        if begins("SQLite format 3\0") { return .database }
        if begins("<?xml") || begins("<!DOCTYPE database") || begins("<database") { return .otherStore("an XML store") }
        if begins("Strata") || begins("STRATA") { return .otherStore("a binary store") }
        if head.count >= 20, head[16..<20].elementsEqual([0xDE, 0xC0, 0xEF, 0xBE]) { return .otherStore("an LMDB store") }
        return .foreign
    }

    /// - Throws: ``StoreError`` unless the file is a database or nothing.
    func refuseOthers(_ path: String, _ operation: String) throws {
        switch self {
        case .nothing, .database: return
        case .otherStore(let name): throw StoreError(.wrongType, operation, "the file is \(name)", path: path)
        case .foreign: throw StoreError(.foreign, operation, "the file is no SQLite database", path: path)
        }
    }
}
