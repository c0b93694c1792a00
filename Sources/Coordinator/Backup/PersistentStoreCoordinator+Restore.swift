import StrataFiles
public import StrataStore
import Synchronization

extension PersistentStoreCoordinator {
    /// Replaces stores by those of a backup.
    ///
    /// First the files of the backup are checked against its manifest, and the stores are matched: all of the backup are
    /// restored, each over its own original or where there is no store. Where this throws before the first store is
    /// replaced, nothing has changed. Each store is replaced atomically. Where a restore of several stores is interrupted in
    /// between, none of them opens before it is repeated: opening throws `inDoubt`.
    ///
    /// Stores that are open in this coordinator are closed, and opened again; no other coordinator or process may have
    /// them open. Reset contexts that have objects of them. A history goes on from its state in the backup.
    ///
    /// - Parameters:
    ///   - path: The directory of the backup.
    ///   - descriptions: The stores to replace; those that the coordinator has open by default. Stores that keep nothing
    ///     are ignored.
    ///   - replacesOthers: Whether a store that is no original of the backup is replaced, as one that was made anew.
    /// - Returns: The backup.
    /// - Throws: `StoreError` with `missing` or `corrupt` where the backup is not whole or its files do not belong
    ///   together, `noStore` where the stores are not those of the backup, `exists` where another store is at a path,
    ///   `locked` while another coordinator or process has a store open, or a backup to the directory is under way;
    ///   `full`, `denied`, `io`.
    /// - Complexity: O(n) in the files.
    @discardableResult
    public func restore(
        from path: String, to descriptions: [StoreDescription]? = nil, replacingOtherStores replacesOthers: Bool = false
    ) throws -> StoreBackup {
        let lock = try BackupDirectory.lockForReading(path)
        defer { lock?.unlock() }
        let backup = try StoreBackup(at: path)
        let open = entries.withLock { $0 }
        let matches = try RestoreMatcher(backup, replacesOthers: replacesOthers)
            .matches((descriptions ?? open.map(\.description)).filter { $0.location.path != nil && $0.location != .null })
        try backup.check()
        let closed = open.filter { entry in matches.contains { $0.description.path.map { AbsolutePath($0) } == entry.location } }
        for entry in closed { try remove(entry.store) }
        do { try replace(matches, backup) } catch {
            // Those that are as they were go on.
            for entry in closed { _ = try? addStore(entry.description) }
            throw error
        }
        for entry in closed { try addStore(entry.description) }
        return backup
    }

    private func replace(_ matches: [StoreMatch], _ backup: StoreBackup) throws {
        for match in matches { try requireNotOpen(match.path, .restore) }
        try StoreError.naming(.restore, path: backup.path) {
            let marks = try matches.count > 1 ? matches.map { try RestoreMark(besideStoreAt: $0.path) } : []
            var hasReplaced = false
            do {
                try replace(matches[...]) {
                    // Now all copies are complete, and all stores are locked.
                    for match in matches where match.isUnrecognized { try DamagedFile(path: match.path).keep() }
                    for mark in marks { try mark.write("\(AbsolutePath(backup.path))") }
                } didReplace: {
                    hasReplaced = true
                }
            } catch {
                if !hasReplaced && (error as? StoreError)?.recovery != .reopen { for mark in marks { try? mark.remove() } }
                throw error
            }
            for mark in marks { try mark.remove() }
        }
    }

    /// Replaces stores in two phases: the block runs when all copies are complete and all stores are locked, and before the first is
    /// replaced.
    private func replace(_ matches: ArraySlice<StoreMatch>, beforeCommit: @escaping () throws -> Void, didReplace: () -> Void) throws {
        guard let match = matches.first else { return try beforeCommit() }
        let leftovers = SavesOfMissingStore(match.path, match.description.driver)
        try withoutActuallyEscaping(didReplace) { didReplace in
            let replacement = StoreReplacement(replacesUnrecognized: match.isUnrecognized) {
                try self.replace(matches.dropFirst(), beforeCommit: beforeCommit, didReplace: didReplace)
            }
            try match.description.driver.replace(at: .file(match.path), withStoreAt: .file(match.store.path), replacement)
        }
        didReplace()
        // The saves were interrupted after the backup: none is in it.
        leftovers.remove()
    }
}

/// A store to be replaced, and its copy in a backup.
private struct StoreMatch {
    let description: StoreDescription
    let store: StoreBackup.Store
    /// Whether the file to be replaced is too damaged to show which store it is.
    var isUnrecognized = false

    /// The path of the store.
    var path: String { description.path ?? "" }
}

/// Finds the store of a backup for each store to be replaced.
private struct RestoreMatcher {
    private let backup: StoreBackup
    private let replacesOthers: Bool

    init(_ backup: StoreBackup, replacesOthers: Bool) {
        self.backup = backup
        self.replacesOthers = replacesOthers
    }

    /// - Throws: `StoreError` where not exactly the stores of the backup are replaced.
    func matches(_ descriptions: [StoreDescription]) throws -> [StoreMatch] {
        var left = backup.stores
        var matches: [StoreMatch] = []
        // Originals first, by their IDs; where there is no store, the rest by what they hold and their names.
        var others: [(description: StoreDescription, isUnrecognized: Bool)] = []
        for description in descriptions {
            let existing = try existing(description)
            if case .original(let id) = existing, let index = left.firstIndex(where: { $0.id == id }) {
                matches.append(StoreMatch(description: description, store: left.remove(at: index)))
            } else if case .unrecognized = existing {
                others.append((description, true))
            } else {
                others.append((description, false))
            }
        }
        for (description, isUnrecognized) in others {
            func isLike(_ store: StoreBackup.Store) -> Bool {
                store.type == description.driver.type && store.configuration == description.configuration
            }
            let name = PathName.last(of: description.path ?? "")
            guard
                let index = left.firstIndex(where: { isLike($0) && PathName.last(of: $0.originalPath) == name })
                    ?? (left.count(where: isLike) == 1 ? left.firstIndex(where: isLike) : nil)
            else {
                throw StoreError(.noStore, .restore, "the backup has no copy of the store", path: description.path)
            }
            matches.append(StoreMatch(description: description, store: left.remove(at: index), isUnrecognized: isUnrecognized))
        }
        if let store = left.first {
            throw StoreError(
                .noStore, .restore, "the backup has a store of \(store.originalPath), which is not among those to be replaced",
                path: backup.path)
        }
        for match in matches where match.store.type != match.description.driver.type {
            throw StoreError(
                .wrongType, .restore, "the store in the backup is of type \(match.store.type), not \(match.description.driver.type)",
                path: match.description.path)
        }
        return matches
    }

    private enum Existing {
        case original(StoreID)
        case none
        case other
        /// Too damaged to tell.
        case unrecognized
    }

    /// Returns what is at a store's path.
    ///
    /// - Throws: `StoreError` with `exists` where it is a store and no original of the backup, `foreign` where it does not show that it
    ///   is one.
    private func existing(_ description: StoreDescription) throws -> Existing {
        let id: StoreID
        do { id = try description.driver.metadata(at: description.location).storeID } catch let error as StoreError {
            if error.code == .missing { return .none }
            if error.code == .corrupt || error.code == .foreign && replacesOthers { return .unrecognized }
            guard error.code == .foreign else { throw error.during(.restore) }
            throw StoreError(
                .foreign, .restore, "what is at the path does not show that it is a store; it is replaced with replacingOtherStores",
                path: description.path, underlying: error)
        }
        if backup.stores.contains(where: { $0.id == id }) { return .original(id) }
        if replacesOthers { return .other }
        throw StoreError(.exists, .restore, "another store is at the path, with the ID \(id)", path: description.path)
    }
}
