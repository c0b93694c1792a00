import StrataFiles
import StrataStore

/// What a file is, as its first bytes tell: every driver calls the others' stores by one name.
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

    /// How many of the first bytes are enough to tell.
    package static let headSize = 512

    /// The kind of a file that begins with some bytes, ``headSize`` of them or the whole.
    package init(beginning: some Collection<UInt8>) {
        let head = Array(beginning.prefix(FileKind.headSize))
        func has(_ bytes: some Collection<UInt8>, at offset: Int) -> Bool {
            head.count >= offset + bytes.count && head[offset...].starts(with: bytes)
        }
        if head.isEmpty {
            self = .nothing
        } else if has("SQLite format 3\0".utf8, at: 0) {
            self = .sqlite
        } else if has([0x89, 0x53, 0x54, 0x52, 0x41], at: 0) {
            self = .binary
        } else if has([0xDE, 0xC0, 0xEF, 0xBE], at: 16) {
            self = .lmdb
        } else {
            self = FileKind.markup(head) ?? .foreign
        }
    }

    /// Markup, a store's where the element of one follows whatever declarations and white space come before it.
    private static func markup(_ head: [UInt8]) -> FileKind? {
        var rest = head[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        rest = rest.drop { [9, 10, 13, 32].contains($0) }
        guard rest.first == UInt8(ascii: "<") else { return nil }
        let text = String(decoding: rest, as: UTF8.self)
        return text.contains("<database") || text.contains("<!DOCTYPE database") ? .xml : .markup
    }

    /// Looks at a file, and leaves the locks of whoever has it open.
    ///
    /// - Throws: ``StoreError`` with `foreign` for what is no file, `denied`, `io`.
    package init(at path: String, _ operation: StoreError.Operation, fileSystem: any FileSystem = PosixFileSystem.shared) throws(StoreError)
    {
        do {
            guard let status = try fileSystem.statusIfPresent(of: path), status.size > 0 || status.kind != .regular else {
                self = .nothing
                return
            }
            guard status.kind == .regular else {
                throw StoreError(.foreign, operation, status.isDirectory ? "this is a directory" : "this is no file", path: path)
            }
            self.init(beginning: try fileSystem.beginning(of: path, count: FileKind.headSize))
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
    package func refusal(_ operation: StoreError.Operation, path: String?) -> StoreError {
        switch self {
        case .sqlite, .xml, .binary, .lmdb: StoreError(.wrongType, operation, "the file is of type \(rawValue)", path: path)
        case .nothing: StoreError(.missing, operation, "there is no store", path: path)
        case .markup, .foreign: StoreError(.foreign, operation, "the file is no store", path: path)
        }
    }
}
