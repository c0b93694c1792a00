import CSQLite
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
            return kind(of: try head(of: path, min(StoreFileKind.headSize, status.size)))
        } catch let error as FileError {
            throw StoreError(error, operation, path: path)
        }
    }

    private static func head(of path: String, _ count: Int) throws(FileError) -> [UInt8] {
        Connection.startLibrary()
        var head = [UInt8](repeating: 0, count: count)
        let code = head.withUnsafeMutableBytes { buffer in
            (path + "\0\0\0").withCString { strata_sqlite_read_start($0, buffer.baseAddress, Int32(truncatingIfNeeded: count)) }
        }
        if code != 0 { throw FileError(.open, path: path, code: code) }
        return head
    }

    private static func kind(of head: [UInt8]) -> FileKind {
        switch StoreFileKind(head: head) {
        case .sqlite: .database
        case let kind?: .otherStore(kind.name)
        case nil: .foreign
        }
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
