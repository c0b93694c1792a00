import StrataSQL

/// What a transaction changed, as the store's log keeps it.
struct TransactionLog {
    /// What became of objects, or of links.
    enum Kind: String, CaseIterable {
        case insert, update, delete, link, metadata
    }

    struct Entry {
        let kind: Kind
        /// The name of the table that was written.
        let table: String
        /// The objects; `nil` where there are too many to name, or none.
        var references: [Int64]?
    }

    private(set) var entries: [Entry] = []
    private static let mostReferences = 1_000

    /// Takes note of objects of a table.
    mutating func note(_ kind: Kind, _ table: EntityTable, _ references: some Sequence<Int64>) {
        let references = Array(references)
        if !references.isEmpty { note(kind, table.name.name, references) }
    }

    /// Takes note of links.
    mutating func note(linksOf table: JoinTable) { note(.link, table.name.name, nil) }

    /// Takes note of new metadata.
    mutating func noteMetadata() { note(.metadata, StoreTables.metadata, nil) }

    private mutating func note(_ kind: Kind, _ table: String, _ references: [Int64]?) {
        guard let index = entries.firstIndex(where: { $0.kind == kind && $0.table == table }) else {
            entries.append(Entry(kind: kind, table: table, references: references))
            return bound(entries.count - 1)
        }
        guard let references, entries[index].references != nil else { return entries[index].references = nil }
        entries[index].references?.append(contentsOf: references)
        bound(index)
    }

    private mutating func bound(_ index: Int) {
        if let count = entries[index].references?.count, count > TransactionLog.mostReferences { entries[index].references = nil }
    }
}
