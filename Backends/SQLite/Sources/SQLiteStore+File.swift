import CStrataSQLite
import StrataSQL
import Synchronization

extension SQLiteStore {
    /// Checks that the file is the one that was opened, and that only SQLite wrote to it; the caller holds the write lock.
    ///
    /// - Throws: `StoreError` with `missing` or `replaced` and recovery `reopen`, with which all further work fails, too.
    func checkFile(_ writer: Connection, hasCommitted: Bool = false) throws {
        guard let watch else { return }
        let finding: FileWatch.Finding
        do { finding = try watch.look(writer, isCommitted: hasCommitted) } catch {
            // The check before the commit found the file unchanged.
            if hasCommitted { return }
            throw StoreError(error, .save, path: filePath)
        }
        if finding == .unchanged { return }
        let error = FileWatch.error(finding, filePath, .save)
        fail(with: error)
        switch finding {
        case .missing, .replaced:
            // The log's commits belong to the file that was moved away, not to its replacement: they are checkpointed now.
            guard hasCommitted || watch.hasSameLog(writer) else { break }
            if writer.isInTransaction { try? writer.statement(.rollback).run(.save) }
            writer.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
        case .logReplaced:
            rescueLog(writer)
        case .overwritten:
            // The log belongs to a content that was replaced; SQLite would checkpoint it into the new one.
            if writer.isInTransaction { unsafe strata_sqlite_truncate_log(writer.handle, 0) }
            fallthrough
        case .truncated, .touched, .unchanged:
            pool.leaveLog()
            writer.leaveLog()
        }
        throw error
    }

    /// Checks, within a transaction of the writer, that no other connection changed the tables, as a migration does.
    ///
    /// - Throws: `StoreError` with `incompatibleModel` and recovery `reopen` where the store is at another version of the model.
    func checkSchema(_ writer: Connection) throws {
        try writerState.schemaVersion.withLock { version in
            let found = try writer.schemaVersion()
            if found == version { return }
            if !options.ignoresModelVersion, try !MetadataTable.read(writer).isCompatible(with: model, configuration: configuration) {
                throw StoreError(
                    .incompatibleModel, .save, "the store was migrated to another version of its model; open it again", path: writer.path,
                    recovery: .reopen)
            }
            try writer.trustTriggers()
            version = found
        }
    }

    /// Saves the commits of a log that is no longer at its path, which would be lost when the process ends.
    ///
    /// They are checkpointed, unless another process uses a log of its own: the pages of both would be mixed. Closing
    /// leaves the files at the paths of the log, which may be another process's.
    func rescueLog(_ writer: Connection) {
        if writer.isInTransaction { try? writer.statement(.rollback).run(.save) }
        pool.leaveLog()
        writer.leaveLog()
        if watch?.isLogAlone == true { writer.checkpoint(SQLITE_CHECKPOINT_TRUNCATE) }
    }
}
