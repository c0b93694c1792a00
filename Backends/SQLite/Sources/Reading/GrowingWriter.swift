import StrataModel

/// Packs the rows of one result: into little memory while they are few, as each row keeps its whole piece alive.
struct GrowingWriter {
    private var writer = RowWriter(forOneRowOf: 1024)
    private var count = 0

    @inline(__always)
    mutating func row(_ decoder: RowDecoder, _ statement: Statement) throws -> Row {
        count += 1
        if count == 8 { writer = RowWriter(chunkSize: 8 * 1024) }
        if count == 64 { writer = RowWriter() }
        return try decoder.row(at: statement, &writer)
    }
}
