import StrataStore

/// The file, beside a store, with the changes of a two-phase commit in it, until the save has reached it.
///
/// The file of the *deciding store* is the coordinator record. It is written first, as a `record`, and the save is
/// decided at the moment of its renaming to `pending`: all other files were written in between. So a store that is
/// opened, or written, with a pending file finishes the save where the deciding store's file decides it, revokes and
/// discards it where that file does not, and leaves it in doubt where there is none. All kinds of files have the same
/// format.
///
/// In order: the magic `StrataPending1\0\0`, the save's ID, the IDs of the store and of the deciding store, the number
/// of the save's stores, the absolute path of each store, this one's first, then the deciding store's, the change set,
/// the ID of the save before it, which the first files lack, the transaction for the store's history where it has one
/// (time, origin and body), and a CRC32C of everything before it.
struct PreparedSaveFile {
    var id: String
    var storeID: StoreID
    var decidingStoreID: StoreID
    var storePath: AbsolutePath
    var decidingPath: AbsolutePath
    /// The paths of the save's other stores.
    var otherPaths: [AbsolutePath]
    var changes: [UInt8]
    /// The last two-phase commit that had reached the store; empty for none, `nil` where the file lacks it.
    var previousID: String?
    /// The transaction for the store's history; `nil` for a store without one.
    var history: HistoryRecord?

    private static let magic = Array("StrataPending1\0\0".utf8)

    var isCoordinatorRecord: Bool { storeID == decidingStoreID }

    var encoded: [UInt8] {
        var out = ByteWriter()
        out.put(raw: PreparedSaveFile.magic)
        for text in [id, storeID.rawValue, decidingStoreID.rawValue] { out.put(text: text) }
        out.put(count: stores.count)
        for path in stores { out.put(content: path.bytes) }
        out.put(content: changes)
        if let previousID { out.put(text: previousID) }
        if let history {
            out.put(history.time.bitPattern)
            out.put(content: history.origin)
            out.put(content: history.body)
        }
        return out.sealed(as: UInt64.self)
    }

    /// Writes the file of a kind beside the store at `path`; throws `FileError`; unless its state is unknown the file
    /// does not exist.
    func write(_ kind: PreparedSaveFileName.Kind, besideStoreAt path: String, _ files: any FileSystem) throws {
        let bytes = encoded
        let name = PreparedSaveFileName(forStoreAt: path, id: id, kind)
        try AtomicReplacement.prepare(path: name.path, fileSystem: files) { try $0.write(bytes) }.commit()
    }

    /// Reads a file; `nil` where there is none: the process of the save may just have removed it.
    ///
    /// - Throws: `StoreError` with `inDoubt` where it is damaged, is not regular, or is about another save than its
    ///   name: it was renamed as a whole.
    static func read(_ name: PreparedSaveFileName, _ files: any FileSystem) throws -> PreparedSaveFile? {
        do {
            guard try files.status(of: name.path, followingLinks: false).kind == .regular else { throw MalformedBytes() }
            let save = try unsafe files.contents(of: name.path).withUnsafeBytes { try unsafe PreparedSaveFile($0) }
            guard save.id == name.id else { throw MalformedBytes() }
            return save
        } catch let error as FileError where error.isMissing {
            return nil
        } catch let error where error is MalformedBytes || (error as? FileError)?.isNoFile == true {
            throw StoreError.interruptedSave("the file that finishes it is damaged", name.path)
        }
    }

    /// Returns whether the save was made upon the last one of those that have reached the store.
    ///
    /// No later one can have reached it without finishing this one first: the file was restored long after its save, or
    /// the whole store was.
    func follows(_ reached: [String]) -> Bool { previousID == nil || previousID == reached.last ?? "" }

    /// Returns whether this, a file of the deciding store, is of the same save as another store's: it lists its
    /// unfinished stores.
    func isOfSameSave(as other: PreparedSaveFile) -> Bool {
        id == other.id && decidingStoreID == other.decidingStoreID && decidingPath == other.decidingPath
            && Set(stores).isSubset(of: other.stores)
    }

    private var stores: [AbsolutePath] { [storePath, decidingPath] + otherPaths }

    /// Returns the current paths of another store of the save at which there are files: first its new one if it moved
    /// along with this one, which is at `currentPath`, then its former one.
    func paths(of other: AbsolutePath, seenFrom currentPath: String, _ files: any FileSystem) throws(FileError) -> [String] {
        let current = AbsolutePath(currentPath)
        var paths: [String] = []
        for candidate in [storePath.following(current, to: other), other] {
            guard let path = candidate?.usable, try files.statusIfPresent(of: path) != nil else { continue }
            paths.append(path)
        }
        return paths
    }

    /// Returns whether the save may be unfinished in a store other than this one, which is at `currentPath`, and the
    /// deciding store: its file exists, its removal may not be durable, or the store is missing.
    func isNeededByOthers(seenFrom currentPath: String, _ files: any FileSystem) throws(FileError) -> Bool {
        for other in otherPaths {
            guard let path = try paths(of: other, seenFrom: currentPath, files).first else { return true }
            if try PreparedSaveFileName.isThereAny(forStoreAt: path, id: id, [.pending], files) { return true }
            do { try files.synchronizeDirectory(PathName.parent(of: path)) } catch { return true }
        }
        return false
    }
}

extension StoreError {
    /// Returns the error of a save that cannot be recovered automatically.
    static func interruptedSave(
        _ message: String, _ path: String?, _ operation: StoreError.Operation = .open, conflicts: [StoreConflict] = []
    ) -> StoreError {
        StoreError(
            .inDoubt, operation,
            "the two-phase commit of a save over several stores was interrupted, and \(message);"
                + " PersistentStoreCoordinator.resolveInterruptedSaves(of:by:) puts it aside",
            path: path, conflicts: conflicts)
    }
}

extension PreparedSaveFile {
    fileprivate init(_ bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
        var reader = try unsafe ByteReader(sealed: bytes, as: UInt64.self)
        guard try unsafe reader.take(PreparedSaveFile.magic.count).elementsEqual(PreparedSaveFile.magic) else { throw MalformedBytes() }
        (id, storeID, decidingStoreID) = (try reader.text(), StoreID(try reader.text()), StoreID(try reader.text()))
        var paths: [AbsolutePath] = []
        for _ in 0..<(try reader.count(ofSize: 8)) { unsafe paths.append(AbsolutePath(bytes: Array(try reader.content()))) }
        changes = unsafe Array(try reader.content())
        previousID = reader.isAtEnd ? nil : try reader.text()
        if !reader.isAtEnd {
            history = HistoryRecord(
                time: Double(bitPattern: try reader.number()), origin: unsafe Array(try reader.content()),
                body: unsafe Array(try reader.content()))
        }
        guard paths.count >= 2, reader.isAtEnd else { throw MalformedBytes() }
        (storePath, decidingPath, otherPaths) = (paths[0], paths[1], Array(paths[2...]))
    }
}
