import StrataModel

/// Packs the rows of a batch insert, in chunks.
struct BatchRowPacker: ~Copyable {
    /// Rows in the order of the source, without references.
    struct Chunk {
        var rows: [Row] = []
        /// The given destinations, in the order of the rows.
        var references: [(rowIndex: Int, reference: BatchReference)] = []
        /// The slots that get the reference of their row.
        fileprivate(set) var sequences: [(rowIndex: Int, slot: Slot)] = []
        /// The greatest value that a row is given for a sequence.
        fileprivate(set) var greatestNumber: Int64 = 0
        /// The given to-one relationships, by the index of the row.
        var toOnes: [Int: [(reference: Slot, entity: Slot?, order: Slot?)]] = [:]
        var isLast = false
        /// Whether each stored attribute was given, row by row; empty unless a policy depends on it.
        fileprivate var given: [Bool] = []

        /// Returns whether each stored attribute was given for a row; empty unless a policy depends on it.
        func given(_ rowIndex: Int) -> ArraySlice<Bool> {
            let width = rows.isEmpty ? 0 : given.count / rows.count
            return given[(rowIndex * width)..<((rowIndex + 1) * width)]
        }

        func part(_ range: Range<Int>) -> Chunk {
            if range == rows.indices { return self }
            let width = given.count / rows.count
            let references = references.filter { range.contains($0.rowIndex) }.map {
                (rowIndex: $0.rowIndex - range.lowerBound, reference: $0.reference)
            }
            return Chunk(
                rows: Array(rows[range]), references: references,
                given: Array(given[(range.lowerBound * width)..<(range.upperBound * width)]))
        }

        /// Sets consecutive references of the rows.
        func number(from first: Int64) { RowWriter.number(rows, from: first, sequences: sequences) }
    }

    private static let rowsPerChunk = 2048
    private static let bytesPerChunk = 8 << 20

    private let tracksGiven: Bool
    private let sequenceSlots: [Slot]
    private var source: BatchInsertRequest.Source
    private var row: BatchRow

    init(
        _ entity: EntityDescription, _ model: ManagedObjectModel, _ source: @escaping BatchInsertRequest.Source, tracksGiven: Bool
    ) {
        self.source = source
        self.tracksGiven = tracksGiven
        sequenceSlots = entity.generatedAttributes.filter { $0.type == .integer64 }.compactMap(\.slot)
        row = BatchRow(entity, model)
    }

    /// Returns the next rows; throws `StoreError` for the first object that does not fit the entity; what the source
    /// throws.
    mutating func next() throws -> Chunk {
        var chunk = Chunk()
        var size = 0
        while chunk.rows.count < BatchRowPacker.rowsPerChunk, size < BatchRowPacker.bytesPerChunk {
            row.start()
            guard try source(&row) else {
                chunk.isLast = true
                break
            }
            let packed = try row.finish()
            size += packed.byteCount
            for reference in row.references { chunk.references.append((chunk.rows.count, reference)) }
            for slot in row.sequences { chunk.sequences.append((chunk.rows.count, slot)) }
            for slot in sequenceSlots { if let number = packed.integer(slot) { chunk.greatestNumber.raise(to: number) } }
            chunk.rows.append(packed)
            if tracksGiven { row.appendGiven(to: &chunk.given) }
        }
        return chunk
    }
}
