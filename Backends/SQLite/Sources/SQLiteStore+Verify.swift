import StrataSQL
public import StrataStore

extension SQLiteStore {
    /// Runs SQLite's own check of pages, indexes and constraints, which reads every page in use, and so compares every
    /// checksum; and searches for orphan rows, and for values of storage classes that columns cannot have.
    ///
    /// - Throws: `StoreError` with `missing` or `replaced` where the file is not at its path, `corrupt` for damage that
    ///   stops the check, `io`, or `closed`.
    public func verify(limit: Int) throws -> [StoreProblem] {
        if let finding = watch?.absence { throw FileWatch.error(finding, filePath, .verify) }
        let isForeign = (try? metadata().isForeign) ?? true
        return try withConnection { connection in
            let statement = try connection.prepare(["PRAGMA integrity_check(", String(max(1, limit)), ")"].joined())
            var problems: [StoreProblem] = []
            while try statement.step(.verify) {
                guard let text = statement.text(0), text != "ok" else { continue }
                // The check continues after pages that the system fails to read, and reports them as errors of the file.
                if let code = SQLiteFailure.codeOfUnreadPage(in: text) { throw connection.error(code, .verify) }
                problems.append(StoreProblem(.file, text))
            }
            for (root, table) in schema.tables.sortedByKey() where problems.count < limit {
                let orphans = try connection.prepare(OrphanRows.list(table, limit: limit - problems.count).text)
                while try orphans.step(.verify) {
                    problems.append(
                        StoreProblem(
                            .file, table.orphanError(orphans.integer(1), path: nil).message, entity: model.entities[root].name,
                            reference: orphans.integer(0)))
                }
            }
            // Other programs convert values in ways of their own.
            if isForeign { return problems }
            for (root, table) in schema.tables.sortedByKey() where problems.count < limit {
                let rows = try connection.prepare(StorageClasses.list(table, limit: limit - problems.count).text)
                while try rows.step(.verify) {
                    let index = Int(rows.integer(1))
                    let key = index < table.columns.count ? table.columns[index].property : nil
                    problems.append(
                        StoreProblem(
                            .value, key == nil ? "the version is malformed" : "the value has a storage class that its column cannot have",
                            entity: model.entities[root].name, reference: rows.integer(0), key: key))
                }
            }
            return problems
        }
    }
}
