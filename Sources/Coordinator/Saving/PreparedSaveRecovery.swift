import StrataEngine
import StrataFiles
import StrataModel
import StrataStore

/// Finishes or forgets the saves over several stores that a store keeps prepared since their coordinator ended.
struct PreparedSaveRecovery {
    let store: any PreparingStore
    let entry: StoreEntry
    let files: any FileSystem
    /// What is being done, for errors.
    let operation: StoreError.Operation

    /// - Throws: ``StoreError``; with `inDoubt` where the store that decides cannot be asked.
    func run() throws {
        for save in try store.preparedSaves() {
            if try isDecided(save) { try store.commitPrepared(save.id) } else { try store.rollbackPrepared(save.id) }
            if let path = save.home.path { forgetDecision(of: save, besideHome: path) }
        }
    }

    private func isDecided(_ save: PreparedSave) throws -> Bool {
        do {
            guard let path = save.home.path else {
                let metadata = try entry.description.driver.metadata(at: save.home)
                guard metadata.uuid == save.homeUUID else { throw unknown(save, nil) }
                return metadata.globalSaves.contains(save.id)
            }
            guard try files.statusIfPresent(of: path) != nil else { throw unknown(save, nil) }
            if let aborted = try record(.aborted, of: save, besideHome: path) {
                try aborted.write(.aborted, besideStoreAt: path, files)
                return false
            }
            guard let decision = try record(.pending, of: save, besideHome: path) ?? record(.decided, of: save, besideHome: path) else {
                return false
            }
            // What is seen of a decision may be lost with the power where its writer met an error.
            try decision.write(.decided, besideStoreAt: path, files)
            return true
        } catch let error as FileError { throw unknown(save, error) }
    }

    private func unknown(_ save: PreparedSave, _ cause: (any Error)?) -> StoreError {
        StoreError(
            .inDoubt, operation,
            "a save over several stores was interrupted, and can be neither finished nor forgotten without the store \(save.home)",
            path: save.home.path, underlying: cause)
    }

    /// What the home has of a save.
    private func record(_ kind: PendingName.Kind, of save: PreparedSave, besideHome path: String) throws -> PendingSave? {
        for name in PendingName.candidates(forStoreAt: path, id: save.id, kind) {
            guard let found = try PendingSave.read(name, files) else { continue }
            guard found.isHome, found.homeUUID == save.homeUUID else {
                throw StoreError.interruptedSave("the file that decides it belongs to another one", name.path, operation)
            }
            return found
        }
        return nil
    }

    /// Removes what the home keeps for this store alone. What stays does no harm.
    private func forgetDecision(of save: PreparedSave, besideHome path: String) {
        guard let found = try? record(.decided, of: save, besideHome: path),
            (try? found.isNeededByOthers(seenFrom: path, files, except: entry.location)) == false
        else { return }
        for name in PendingName.candidates(forStoreAt: path, id: save.id, .decided) { try? files.removeIfPresent(name.path) }
    }
}
