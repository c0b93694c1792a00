public import StrataStore

extension SQLiteStore {
    /// SQLite's own check of pages, indexes and constraints; it reads every page in use, and so compares every checksum.
    ///
    /// - Throws: `StoreError` with `corrupt` for damage that stops the check, `io`, or `closed`.
    public func verify(limit: Int) throws -> [StoreProblem] {
        try withConnection { connection in
            let statement = try connection.prepare(["PRAGMA integrity_check(", String(max(1, limit)), ")"].joined())
            var problems: [StoreProblem] = []
            while try statement.step(.verify) {
                guard let text = statement.text(0), text != "ok" else { continue }
                // The check goes on where the system fails to read, and takes that for a problem of the file.
                if let code = SQLiteFailure.codeOfUnreadPage(in: text) { throw connection.error(code, .verify) }
                problems.append(StoreProblem(.file, text))
            }
            return problems
        }
    }
}
