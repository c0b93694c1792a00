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

    /// - Throws: `StoreError`; with `inDoubt` where the store that decides cannot be asked.
    func run() throws {
        for save in try store.preparedSaves() {
            if try isDecided(save) { try store.commitPrepared(save.id) } else { try store.rollbackPrepared(save.id) }
            if let path = save.home.path { forgetDecision(of: save, besideHome: path) }
        }
    }

    private func isDecided(_ save: PreparedSave) throws -> Bool {
        do {
            guard let path = save.home.path else {
                guard let driver = entry.description.driver as? any DecidingStoreDriver else { throw unknown(save, nil) }
                return try driver.hasDecided(save)
            }
            guard try files.statusIfPresent(of: path) != nil else { throw unknown(save, nil) }
            return try decision(of: save, besideHome: path).isDecided()
        } catch let error as FileError { throw unknown(save, error) } catch let error as StoreError where error.code == .replaced {
            throw unknown(save, error)
        }
    }

    private func unknown(_ save: PreparedSave, _ cause: (any Error)?) -> StoreError {
        StoreError(
            .inDoubt, operation,
            "a save over several stores was interrupted, and can be neither finished nor forgotten without the store \(save.home)",
            path: save.home.path, underlying: cause)
    }

    private func decision(of save: PreparedSave, besideHome path: String) -> SaveDecision {
        SaveDecision(id: save.id, homePath: path, files: files, operation: operation) { $0.homeID == save.homeID }
    }

    /// Takes this store off those that the home keeps its decision for, and removes the decision that nobody needs any more.
    ///
    /// As long as the home itself is not done, it is the one that removes it. What stays does no harm.
    private func forgetDecision(of save: PreparedSave, besideHome path: String) {
        let decision = decision(of: save, besideHome: path)
        guard var known = try? decision.record(.decided) else { return }
        known.otherPaths.removeAll { $0 == entry.location }
        do {
            if try known.isNeededByOthers(seenFrom: path, files) || decision.record(.pending) != nil {
                return try known.write(.decided, besideStoreAt: path, files)
            }
            for name in PendingName.candidates(forStoreAt: path, id: save.id, .decided) { try files.removeIfPresent(name.path) }
        } catch {}
    }
}
