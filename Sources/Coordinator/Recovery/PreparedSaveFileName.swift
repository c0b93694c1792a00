import StrataFiles

/// The name of a file, beside a store, of a two-phase commit: `.<store>.<save>.<kind>`.
struct PreparedSaveFileName {
    enum Kind: String, CaseIterable {
        /// Beside the deciding store: the coordinator record of an undecided save; written before any other store
        /// prepares.
        case record
        /// The save may still have to reach the store; the deciding store's decides it.
        case pending
        /// Beside the deciding store: a `pending` file that another process has acted on, so that the coordinator
        /// cannot revoke it.
        case confirmed
        /// Beside the deciding store: the save is decided, whatever else is there, and others may need to know it.
        case decided
        /// Beside the deciding store: the save was revoked, whatever else is there, before it reached any store.
        case aborted
        /// Set aside when the save was resolved by hand; nothing reads it.
        case setAside

        /// The kinds of files with changes that a store may lack.
        static let unfinished = [confirmed, pending, record]
        /// The kinds of files by which the deciding store records a save.
        static let records = unfinished + [decided, aborted]
        var isUnfinished: Bool { Kind.unfinished.contains(self) }
    }

    let path: String
    /// The UUID of the save, the same beside each of its stores.
    let id: String
    let kind: Kind

    init(forStoreAt storePath: String, id: String, _ kind: Kind) {
        self.init(PathName.parent(of: storePath), PreparedSaveFileName.prefixes(storePath)[0], id, kind)
    }

    /// Returns the possible names of a store's file for a save, that of new files first.
    static func candidates(forStoreAt storePath: String, id: String, _ kind: Kind) -> [PreparedSaveFileName] {
        // Older versions made no records and confirmed none.
        prefixes(storePath).prefix(kind == .record || kind == .confirmed ? 1 : 2)
            .map { PreparedSaveFileName(PathName.parent(of: storePath), $0, id, kind) }
    }

    /// Returns whether a store has a file of some kinds for a save, under any of its names.
    static func isThereAny(
        forStoreAt storePath: String, id: String, _ kinds: [Kind], _ files: any FileSystem
    ) throws(FileError) -> Bool {
        for name in kinds.flatMap({ candidates(forStoreAt: storePath, id: id, $0) }) {
            if try files.statusIfPresent(of: name.path, followingLinks: false) != nil { return true }
        }
        return false
    }

    private init(_ directory: String, _ prefix: String, _ id: String, _ kind: Kind) {
        path = PathName.joining(directory, "\(prefix)\(id).\(kind)")
        self.id = id
        self.kind = kind
    }

    /// Returns all files beside a store.
    ///
    /// - Parameter removesLeftovers: Whether temporary files that a crash left are removed.
    static func all(
        forStoreAt storePath: String, _ files: any FileSystem, removingLeftovers removesLeftovers: Bool = false
    ) throws(FileError) -> [PreparedSaveFileName] {
        let directory = PathName.parent(of: storePath)
        let prefixes = prefixes(storePath)
        var found: [PreparedSaveFileName] = []
        for name in try files.names(inDirectory: directory) {
            if let prefix = prefixes.first(where: name.hasPrefix),
                let (id, kind) = read(name.utf8.dropFirst(prefix.utf8.count)), let kind = Kind(rawValue: String(kind) ?? "")
            {
                found.append(PreparedSaveFileName(directory, prefix, id, kind))
            } else if removesLeftovers && name.hasSuffix(".tmp") {
                try removeLeftover(name, directory, prefixes, files)
            }
        }
        return found
    }

    private static func removeLeftover(
        _ name: String, _ directory: String, _ prefixes: [String], _ files: any FileSystem
    ) throws(FileError) {
        for prefix in prefixes where name.hasPrefix("." + prefix) {
            guard let (id, rest) = read(name.utf8.dropFirst(1 + prefix.utf8.count)),
                let kind = String(rest)?.split(separator: ".").first,
                let kind = Kind(rawValue: String(kind))
            else { continue }
            try AtomicReplacement.removeLeftovers(of: PreparedSaveFileName(directory, prefix, id, kind).path, fileSystem: files)
        }
    }

    /// Returns the ID and the rest of the name; `nil` without an ID.
    private static func read(_ text: Substring.UTF8View) -> (id: String, rest: Substring.UTF8View)? {
        guard let id = String(text.prefix(36)), ExternalDataDirectory.isName(id), id == id.uppercased(),
            text.dropFirst(36).first == UInt8(ascii: ".")
        else { return nil }
        return (id, text.dropFirst(37))
    }

    /// Returns the prefixes of names: first that of new files, short enough for a temporary file's name.
    private static func prefixes(_ storePath: String) -> [String] {
        let name = PathName.last(of: storePath)
        let short = PathName.shortened(name, over: 154, keeping: 140)
        // Older versions did not truncate names of up to 209 bytes.
        return short == name || name.utf8.count > 209 ? [".\(short)."] : [".\(short).", ".\(name)."]
    }
}
