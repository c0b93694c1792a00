import CStrataLMDB
import StrataEngine

extension LMDBStore {
    /// Removes files that a commit made unreferenced, once no process reads an older state than the commit.
    func collect(_ dropped: [String], since commit: Int) {
        if dropped.isEmpty && garbage.isEmpty { return }
        garbage.add(dropped, since: commit)
        guard (try? environment.enter(.save)) != nil else { return }
        defer { environment.leave() }
        // Rows that a loss of power restores must not lack their files.
        if options.durability == .relaxed { unsafe mdb_env_sync(environment.handle, 1) }
        var oldest = oldestReader
        if oldest < commit {
            environment.clearStaleReaders()
            oldest = oldestReader
        }
        garbage.remove { $0 <= oldest }
    }

    /// Removes the files of an interrupted save; does nothing while another writes, or reads an older state.
    func removeUnnamed() throws {
        if try isReadOnly || environment.isReadOnly || externalData.ownedNames().isEmpty { return }
        let writeLock = try FileWriteLock(environment, .open, until: Deadline(after: 0))
        defer { withExtendedLifetime(writeLock) {} }
        try environment.read(.open) { reader in
            // Another process may have migrated the store since it was opened, with unknown new databases.
            guard let head = try unsafe SchemaOpener.head(in: reader.handle, environment), head.catalog.generation == schema.generation,
                unsafe oldestReader >= Int(mdb_txn_id(reader.handle))
            else { return }
            try unsafe ExternalStorage.removeUnnamed(in: externalData, ExternalNames(reader.handle, environment, head.catalog).forEach)
        }
    }

    /// The number of the oldest transaction that any process reads.
    private var oldestReader: Int { unsafe strata_oldest_reader(environment.handle) }
}
