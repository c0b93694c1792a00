import StrataModel
import StrataStore

/// Packs the rows of a batch insert, a chunk at a time.
struct BatchRowPacker: ~Copyable {
    /// Some rows, in the order of the source, without references.
    struct Chunk {
        var rows: [Row] = []
        var isLast = false
        /// Whether each stored attribute was given, row after row; empty where nobody asks.
        fileprivate var given: [Bool] = []

        /// Which of the entity's stored attributes were given for a row, none where nobody asks.
        func given(_ place: Int) -> ArraySlice<Bool> {
            let width = rows.isEmpty ? 0 : given.count / rows.count
            return given[(place * width)..<((place + 1) * width)]
        }

        /// Gives the rows their references, from the first of as many as there are rows.
        func number(from first: Int64) { RowWriter.number(rows, from: first) }
    }

    private static let rowsPerChunk = 2048
    private static let bytesPerChunk = 8 << 20

    private let tracksGiven: Bool
    private var source: BatchInsertRequest.Source
    private var row: BatchRow

    init(_ entity: EntityDescription, _ source: @escaping BatchInsertRequest.Source, tracksGiven: Bool) {
        self.source = source
        self.tracksGiven = tracksGiven
        row = BatchRow(entity)
    }

    /// The next rows.
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
            chunk.rows.append(packed)
            if tracksGiven { row.appendGiven(to: &chunk.given) }
        }
        return chunk
    }
}
