import Synchronization

/// The kind of a file by its first bytes, so that opening a store with the driver of another kind reports its kind.
///
/// A driver registers the first bytes of its files: other drivers then call them by name. Formats that
/// are not Strata's own are known without their drivers.
///
/// ```swift
/// extension FileKind {
///     static let json = FileKind("JSON") { $0.starts(with: Array("{\"store\":".utf8)) }
/// }
/// ```
public struct FileKind: Sendable {
    /// The name in errors and as the store's type.
    public let name: String
    /// Whether a library locks such files while they are open: other code must not open and close them.
    public let isDatabase: Bool
    private let isStore: Bool
    private let recognizes: @Sendable ([UInt8]) -> Bool

    /// Creates a kind of file.
    ///
    /// - Parameters:
    ///   - name: The kind's name in errors.
    ///   - isDatabase: Whether a library locks such files while they are open.
    ///   - recognizes: Tests the first bytes of a file, ``headSize`` of them or all; never called with none.
    public init(_ name: String, isDatabase: Bool = false, _ recognizes: @escaping @Sendable ([UInt8]) -> Bool) {
        self.init(name, isDatabase: isDatabase, isStore: true, recognizes)
    }

    private init(_ name: String, isDatabase: Bool = false, isStore: Bool, _ recognizes: @escaping @Sendable ([UInt8]) -> Bool) {
        self.name = name
        self.isDatabase = isDatabase
        self.isStore = isStore
        self.recognizes = recognizes
    }

    /// The number of first bytes that identify a kind.
    public static let headSize = 512

    /// Creates the kind of a file from its first bytes, ``headSize`` of them or all.
    public init(beginning: some Collection<UInt8>) {
        let head = Array(beginning.prefix(FileKind.headSize))
        if head.isEmpty {
            self = .nothing
        } else {
            let kinds = FileKind.wellKnown + FileKind.registered.withLock { $0 } + [.markup]
            self = kinds.first { $0.recognizes(head) } ?? .foreign
        }
    }

    /// Determines the kind of a file, keeping the locks of code that has it open.
    ///
    /// - Throws: `StoreError` with `foreign` for what is no file, `denied`, `io`.
    public init(at path: String, _ operation: StoreError.Operation, fileSystem: any FileSystem = PosixFileSystem.shared) throws(StoreError)
    {
        let status: FileStatus?
        do { status = try fileSystem.statusIfPresent(of: path) } catch { throw StoreError(error, operation, path: path) }
        guard let status, status.size > 0 || status.kind != .regular else {
            self = .nothing
            return
        }
        try status.requireRegularFile(operation, path: path)
        let head: [UInt8]
        do { head = try fileSystem.beginning(of: path, count: FileKind.headSize) } catch { throw StoreError(error, operation, path: path) }
        self.init(beginning: head)
    }

    /// Returns the error with which drivers of other kinds reject such a file.
    public func refusal(_ operation: StoreError.Operation, path: String?) -> StoreError {
        if isStore { return StoreError(.wrongType, operation, "the file is of type \(name)", path: path) }
        return self == .nothing
            ? .missingStore(operation, at: path)
            : StoreError(.foreign, operation, "the file is no store", path: path)
    }

    /// The kinds that drivers registered, in order.
    private static let registered = Mutex<[FileKind]>([])

    /// Registers a kind for all drivers; each driver does so on creation.
    ///
    /// Does nothing where one with the name exists.
    public static func register(_ kind: FileKind) {
        if wellKnown.contains(kind) { return }
        registered.withLock { if !$0.contains(kind) { $0.append(kind) } }
    }
}

extension FileKind: Hashable {
    /// Returns whether two kinds have one name.
    public static func == (a: FileKind, b: FileKind) -> Bool { a.name == b.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension FileKind: CustomStringConvertible {
    /// The kind's name.
    public var description: String { name }
}

extension FileKind {
    /// No file, or an empty one: a new store may be created here.
    public static let nothing = FileKind("nothing", isStore: false) { $0.isEmpty }
    /// A file of no registered kind.
    public static let foreign = FileKind("foreign", isStore: false) { _ in true }
    /// Markup that may be an XML store.
    public static let markup = FileKind("markup", isStore: false) { markup(in: $0) != nil }

    /// A SQLite database, of any program.
    public static let sqlite = FileKind("SQLite", isDatabase: true) { $0.starts(with: "SQLite format 3\0".utf8) }
    /// An LMDB environment, of any program.
    public static let lmdb = FileKind("LMDB", isDatabase: true) { $0.dropFirst(16).starts(with: [0xDE, 0xC0, 0xEF, 0xBE]) }
    /// An XML document with the root element of Core Data's stores, after any declarations and white space.
    public static let xml = FileKind("XML") { head in
        markup(in: head).map { $0.contains("<database") || $0.contains("<!DOCTYPE database") } ?? false
    }

    private static let wellKnown: [FileKind] = [.sqlite, .lmdb, .xml]

    private static func markup(in head: [UInt8]) -> String? {
        var rest = head[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        rest = rest.drop { [9, 10, 13, 32].contains($0) }
        return rest.first == UInt8(ascii: "<") ? String(decoding: rest, as: UTF8.self) : nil
    }
}
