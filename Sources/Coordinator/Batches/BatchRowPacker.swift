import StrataModel
import StrataStore

/// Packs the rows of a batch insert, a chunk at a time.
struct BatchRowPacker: ~Copyable {
    /// The slots of a to-one relationship.
    struct ToOneSlots {
        let reference: Slot
        let entity: Slot?
        let order: Slot?
    }

    /// Some rows, in the order of the source, without references.
    struct Chunk {
        var rows: [Row] = []
        /// What the relationships of rows are given, in the order of the rows.
        var references: [(rowIndex: Int, reference: BatchReference)] = []
        /// The to-one relationships that rows were given, by place.
        var toOnes: [Int: [ToOneSlots]] = [:]
        var isLast = false
        /// Whether each stored attribute was given, row after row; empty where nobody asks.
        fileprivate var given: [Bool] = []

        /// Which of the entity's stored attributes were given for a row, none where nobody asks.
        func given(_ rowIndex: Int) -> ArraySlice<Bool> {
            let width = rows.isEmpty ? 0 : given.count / rows.count
            return given[(rowIndex * width)..<((rowIndex + 1) * width)]
        }

        /// Returns the rows of some places alone.
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

        /// Gives the rows their references, from the first of as many as there are rows.
        func number(from first: Int64) { RowWriter.number(rows, from: first) }
    }

    private static let rowsPerChunk = 2048
    private static let bytesPerChunk = 8 << 20

    private let tracksGiven: Bool
    private var source: BatchInsertRequest.Source
    private var row: BatchRow

    init(
        _ entity: EntityDescription, _ model: ManagedObjectModel, _ source: @escaping BatchInsertRequest.Source, tracksGiven: Bool
    ) {
        self.source = source
        self.tracksGiven = tracksGiven
        row = BatchRow(entity, model)
    }

    /// Returns the next rows.
    ///
    /// - Throws: `StoreError` for the first object that does not fit the entity; what the source throws.
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
            chunk.rows.append(packed)
            if tracksGiven { row.appendGiven(to: &chunk.given) }
        }
        return chunk
    }
}
