import CStrataLMDB
import StrataStore

extension LMDBStore {
    /// Checks the pages in use, then compares the indexes and links with the rows, whose checksums are compared as they are read.
    func verify(limit: Int) throws -> [StoreProblem] {
        try environment.checkInPlace(.verify)
        return try read { reader in
            guard let reader = reader as? LMDBReader else { return [] }
            try storeErrors(.verify, path: path) {
                let number = unsafe mdb_txn_id(reader.snapshot.transaction)
                if let damage = try MetaPages.firstDamage(of: environment.file.descriptor, transaction: number, environment.path) {
                    throw StoreError.damaged(damage, path: path)
                }
                try Verification(snapshot: reader.snapshot).run()
            }
            return []
        }
    }
}

/// Compares all parts of a snapshot with each other.
private struct Verification {
    let snapshot: Snapshot
    private var schema: StoreSchema { snapshot.schema }

    func run() throws {
        for hierarchy in schema.hierarchies {
            let indexes = schema.indexes.filter { hierarchy.entities.contains($0.entities.lowerBound) }
            var expected = indexes.map { _ in KeyBatch() }
            var encoder = KeyEncoder()
            try snapshot.scan(hierarchy) { stored in
                let row = try snapshot.rows.expanded(stored)
                for (number, index) in indexes.enumerated() where index.entities.contains(row.entityIndex) {
                    expected[number].add(row, index, &encoder)
                }
                return true
            }
            for (number, index) in indexes.enumerated() { try compare(index, &expected[number]) }
        }
        for links in schema.links.values { try compare(links) }
    }

    private func compare(_ index: StoreSchema.Index, _ expected: inout KeyBatch) throws {
        let cursor = try unsafe Cursor(snapshot.transaction, index.database)
        var found = try cursor.move(MDB_FIRST)
        try unsafe expected.forEach { key, reference in
            guard found, unsafe compareBytes(cursor.key.bytes, key) == .equal, try unsafe snapshot.reference(cursor.value) == reference
            else { throw damaged("index \(index.name) does not hold row \(reference) where it belongs") }
            found = try cursor.move(MDB_NEXT)
        }
        if found { throw damaged("index \(index.name) holds more than there is") }
    }

    private func compare(_ links: StoreSchema.Links) throws {
        func pairs(_ side: LinkSide) throws -> Set<Link> {
            var pairs: Set<Link> = []
            try unsafe LinkEntry.each(snapshot.transaction, links.database(side)) { owner, entry in
                pairs.insert(side == .first ? Link(first: owner, second: entry.other) : Link(first: entry.other, second: owner))
            }
            return pairs
        }
        guard try pairs(.first) == pairs(.second) else { throw damaged("a link lies under one of its ends only") }
    }

    private func damaged(_ what: String) -> StoreError { StoreError(.corrupt, .verify, what, path: snapshot.rows.path) }
}
