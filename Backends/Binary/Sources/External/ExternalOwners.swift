import StrataEngine

/// The rows whose values are in files of their own, after all saves.
struct ExternalOwners {
    /// A row, by the index in the file of the root of its entity hierarchy.
    struct Key: Hashable {
        let root: Int
        let reference: Int64
    }

    /// Where a row is written last: in a step of a save that was appended, or in the part that was written as a whole.
    struct Source: Equatable {
        let save: Int
        let step: Int
        static let base = Source(save: -1, step: -1)
    }

    private(set) var values: [Key: (source: Source, entries: [ExternalSection.Entry])] = [:]

    /// The names of the files.
    var names: [String] { values.values.flatMap { $0.entries.map(\.name) } }

    init(_ sections: FileSections, _ schema: SchemaSection, _ bodies: [SegmentBody]) throws {
        add(try unsafe ExternalSection.read(try sections.checked(.external)), .base)
        for (save, body) in bodies.enumerated() {
            for (step, content) in body.steps.enumerated() {
                guard case .changes(let changes) = content else { continue }
                if !values.isEmpty {
                    for (entity, reference) in changes.deleted { values[try key(entity, reference, schema)] = nil }
                    try unsafe changes.forEachRow(in: sections.file.bytes) { entity, reference in
                        values[try key(entity, reference, schema)] = nil
                    }
                }
                add(changes.external, Source(save: save, step: step))
            }
        }
    }

    private mutating func add(_ entries: [ExternalSection.Entry], _ source: Source) {
        for entry in entries {
            values[Key(root: entry.root, reference: entry.reference), default: (source, [])].entries.append(entry)
        }
    }

    private func key(_ entity: Int64, _ reference: Int64, _ schema: SchemaSection) throws(MalformedBytes) -> Key {
        guard entity >= 0, entity < schema.entities.count else { throw MalformedBytes() }
        return Key(root: schema.entities[Int(entity)].root, reference: reference)
    }
}

extension SegmentBody.Changes {
    /// Calls a body with the entity, by its index in the file, and the reference of each row.
    func forEachRow(in bytes: UnsafeRawBufferPointer, _ body: (_ entity: Int64, _ reference: Int64) throws -> Void) throws {
        var reader = unsafe ByteReader(UnsafeRawBufferPointer(rebasing: bytes[rows]))
        for _ in 0..<rowCount {
            let length: UInt32 = try reader.number()
            let entity: UInt32 = try reader.number()
            let reference: Int64 = try reader.number()
            try body(Int64(entity), reference)
            unsafe _ = try reader.take(Int(length) - 16)
        }
    }
}
