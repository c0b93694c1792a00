import StrataStore

/// Digests the rows of a snapshot of a store, by hierarchy.
struct DigestReading {
    let reader: any StoreReader
    let schema: TrackedSchema

    private static let rowsAtOnce = 2048

    /// Reads a whole hierarchy.
    func hierarchy(_ root: EntityIndex, since known: RowDigestTable, _ check: () throws -> Void) throws -> RowDigestTable {
        let model = schema.model
        let entity = model.entities[root]
        var versions = try reader.versions(root: entity).filter { entity.hierarchy.contains($0.entity) }
        if zip(versions, versions.dropFirst()).contains(where: { $0.reference >= $1.reference }) {
            versions.sort { $0.reference < $1.reference }
        }
        var hierarchy = RowDigestTable()
        hierarchy.reserve(versions.count, like: known)
        // A derived value changes without a new version.
        let isDerived = entity.hierarchy.contains { !model.entities[$0].derivedAttributes.isEmpty }
        var index = 0
        for some in versions.slices(of: DigestReading.rowsAtOnce) {
            try check()
            var indexes: [Int?] = []
            for row in some {
                while index < known.count && known.references[index] < row.reference { index += 1 }
                let isKnown =
                    !isDerived && index < known.count && known.references[index] == row.reference
                    && known.version(at: index) == row.version && known.entity(at: index) == row.entity
                indexes.append(isKnown ? index : nil)
            }
            let rows = try self.rows(zip(some, indexes).compactMap { $1 == nil ? $0.reference : nil }, of: root)
            for (version, index) in zip(some, indexes) {
                if let index {
                    hierarchy.append(from: known, at: index)
                } else if let row = rows[version.reference] {
                    hierarchy.append(row, schema)
                } else {
                    hierarchy.append(unreadable: version, model)
                }
            }
        }
        return hierarchy
    }

    /// Reads the rows of a hierarchy that may have changed; `nil` for those that are deleted.
    func rows(_ root: EntityIndex, changed: Set<Int64>, _ check: () throws -> Void) throws -> [Int64: RowDigest?] {
        var digests: [Int64: RowDigest?] = [:]
        for some in changed.sorted().slices(of: DigestReading.rowsAtOnce) {
            try check()
            let there = try reader.existing(root: root, references: Array(some))
            let entities = Dictionary(there.map { ($0.reference, $0.entity) }) { first, _ in first }
            let rows = try self.rows(there.map(\.reference), of: root)
            for reference in some {
                let digest = rows[reference].map { RowDigest($0, schema) }
                digests.updateValue(digest ?? entities[reference].map { RowDigest(unreadable: $0, schema.model) }, forKey: reference)
            }
        }
        return digests
    }

    private func rows(_ references: [Int64], of root: EntityIndex) throws -> [Int64: Row] {
        if references.isEmpty { return [:] }
        var rows: [Row] = []
        do { rows = try reader.rows(root: root, references: references) } catch let error as StoreError where error.code == .corrupt {
            for reference in references {
                do { rows += try reader.rows(root: root, references: [reference]) } catch let error as StoreError
                    where error.code == .corrupt
                {
                    // A damaged row is an error for other reads: here only its existence is known.
                }
            }
        }
        return Dictionary(try schema.model.checked(rows, .refresh).map { ($0.reference, $0) }) { first, _ in first }
    }
}
