import StrataFiles

/// What a file is, as its first bytes tell.
package enum FileKind: String, Sendable, Hashable {
    /// Nothing, or a file of no length: a new store may be made here.
    case nothing
    /// A SQLite database, whoever's.
    case sqlite = "SQLite"
    /// An XML document that begins as XML stores do.
    case xml = "XML"
    /// Markup that may be an XML store further on.
    case markup
    /// A binary store.
    case binary = "Binary"
    /// An LMDB environment, whoever's.
    case lmdb = "LMDB"
    /// Something else.
    case foreign

    /// The kind of a file that begins with some bytes.
    package init(beginning: some Collection<UInt8>) {
        let bytes = Array(beginning.prefix(StoreFileKind.headSize))
        if bytes.isEmpty {
            self = .nothing
            return
        }
        switch StoreFileKind(head: bytes) {
        case .sqlite: self = .sqlite
        case .xml: self = .xml
        case .binary: self = .binary
        case .lmdb: self = .lmdb
        case nil: self = FileKind.isMarkup(bytes) ? .markup : .foreign
        }
    }

    private static func isMarkup(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        return rest.first { ![9, 10, 13, 32].contains($0) } == UInt8(ascii: "<")
    }

    /// Looks at a file, and leaves the locks of whoever has it open.
    ///
    /// - Throws: ``StoreError`` with `foreign` for what is no file, `denied`, `io`.
    package init(at path: String, _ operation: String, fileSystem: any FileSystem = PosixFileSystem.shared) throws(StoreError) {
        do {
            guard let status = try fileSystem.statusIfPresent(of: path), status.size > 0 || status.kind != .regular else {
                self = .nothing
                return
            }
            guard status.kind == .regular else {
                throw StoreError(.foreign, operation, status.isDirectory ? "this is a directory" : "this is no file", path: path)
            }
            self.init(beginning: try fileSystem.beginning(of: path, count: StoreFileKind.headSize))
        } catch let error as FileError {
            throw StoreError(error, operation, path: path)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.io, operation, "\(error)", path: path)
        }
    }

    /// Whether the file is one that a library locks while it is open.
    package var isDatabase: Bool { self == .sqlite || self == .lmdb }

    /// Why a driver of another kind of store does not open such a file.
    package func refusal(_ operation: String, path: String?) -> StoreError {
        switch self {
        case .sqlite, .xml, .binary, .lmdb: StoreError(.wrongType, operation, "the file is of type \(rawValue)", path: path)
        case .nothing: StoreError(.missing, operation, "there is no store", path: path)
        case .markup, .foreign: StoreError(.foreign, operation, "the file is no store", path: path)
        }
    }
}
