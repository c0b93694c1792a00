import StrataFiles
import StrataStore

/// What the home store, which is a file, has of a save over several stores: whether the save takes effect.
struct SaveDecision {
    let id: String
    /// Where the home is.
    let homePath: String
    let files: any FileSystem
    /// What is being done, for errors.
    let operation: StoreError.Operation
    /// Whether a file of the save's ID is about the same save.
    let isOfSave: (PendingSave) -> Bool

    /// Whether the save is to be carried out; what says so is on disk then.
    ///
    /// - Throws: `StoreError` with `inDoubt`; `FileError`.
    func isDecided() throws -> Bool {
        if let aborted = try record(.aborted) {
            try aborted.write(.aborted, besideStoreAt: homePath, files)
            return false
        }
        // The decided file first: it may know that others are done with the save.
        guard let decision = try record(.decided) ?? record(.pending) else { return false }
        try decision.write(.decided, besideStoreAt: homePath, files)
        return true
    }

    /// What the home has of the save.
    ///
    /// - Throws: `StoreError` with `inDoubt` where a file has its name but is not of the same save.
    func record(_ kind: PendingName.Kind) throws -> PendingSave? {
        for name in PendingName.candidates(forStoreAt: homePath, id: id, kind) {
            guard let found = try PendingSave.read(name, files) else { continue }
            guard found.isHome, isOfSave(found) else {
                throw StoreError.interruptedSave("the file that decides it belongs to another one", name.path, operation)
            }
            return found
        }
        return nil
    }
}
