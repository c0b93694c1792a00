import StrataStore

extension StoreBackend {
    /// Returns the transactions of the store's history that cannot be read, as problems.
    ///
    /// - Throws: `StoreError`, with `corrupt` where none can be read.
    func historyProblems(limit: Int) throws -> [StoreProblem] {
        guard capabilities.keepsHistory, try metadata().keepsHistory else { return [] }
        var problems: [StoreProblem] = []
        var query = HistoryQuery(limit: 256)
        while problems.count < limit {
            let records = try history(query)
            for record in records where !record.marksDeletion && problems.count < limit {
                let isSound = (try? HistoryOrigin(record.origin)) != nil && (try? HistoryBody(record.body, path: path)) != nil
                if !isSound { problems.append(StoreProblem(.file, "malformed transaction in the history: \(record.number)")) }
            }
            guard let last = records.last, records.count == query.limit else { break }
            query.after = last.number
        }
        return problems
    }
}
