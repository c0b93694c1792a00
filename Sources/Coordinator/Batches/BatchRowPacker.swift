import StrataModel
import StrataStore

/// Packs the rows of a batch insert, a chunk at a time.
struct BatchRowPacker {
    /// Some rows, in the order of the source, without references.
    struct Chunk {
        var rows: [Row] = []
        /// The indexes of the attributes given for each row; empty where nobody asks.
        var given: [[Int]] = []
        var isLast = false
    }

    private struct Column {
        let property: Int
        let slot: Int
        let attribute: AttributeDescription
    }

    private static let rowsPerChunk = 2048
    private static let bytesPerChunk = 8 << 20

    private let entity: EntityDescription
    private let columns: [Column]
    private let tracksGiven: Bool
    private var source: BatchInsertRequest.Source
    private var row: BatchRow
    private var writer = RowWriter()

    init(_ entity: EntityDescription, _ source: @escaping BatchInsertRequest.Source, tracksGiven: Bool) {
        self.entity = entity
        self.source = source
        self.tracksGiven = tracksGiven
        row = BatchRow(entity)
        columns = entity.attributes.compactMap { attribute in
            attribute.slot.map { Column(property: attribute.index, slot: $0, attribute: attribute) }
        }
    }

    /// The next rows.
    ///
    /// - Throws: ``StoreError`` for the first object that does not fit the entity; what the source throws.
    mutating func next() throws -> Chunk {
        var chunk = Chunk()
        var size = 0
        while chunk.rows.count < BatchRowPacker.rowsPerChunk, size < BatchRowPacker.bytesPerChunk {
            row.clear()
            guard try source(&row) else {
                chunk.isLast = true
                break
            }
            let packed = try pack()
            size += packed.byteCount
            chunk.rows.append(packed)
            if tracksGiven { chunk.given.append(columns.map(\.property).filter { row.values[$0] != nil }) }
        }
        return chunk
    }

    private mutating func pack() throws -> Row {
        if let failure = row.failure { throw failure }
        writer.begin(entity, reference: 0, version: 1)
        var size = 0
        for column in columns {
            let attribute = column.attribute
            let value: Value
            if let given = row.values[column.property] {
                guard let coerced = attribute.type.coerce(given) else {
                    throw error(.wrongValue, attribute, "\(given) is no \(attribute.type)")
                }
                value = coerced
            } else {
                value = attribute.defaultValue
            }
            if value.isNull {
                guard attribute.isOptional else { throw error(.wrongValue, attribute, "a value is required") }
                continue
            }
            size += value.variableSize
            guard size < Int(Int32.max) else { throw error(.tooLarge, attribute, "the values of one object exceed 2 GiB") }
            writer.set(value, at: column.slot, attribute.slotKind)
        }
        for attribute in entity.attributes where attribute.isTransient && row.values[attribute.index] != nil {
            throw error(.unknownKey, attribute, "the attribute is transient: no store holds it")
        }
        return writer.finish()
    }

    private func error(_ code: StoreError.Code, _ attribute: AttributeDescription, _ message: String) -> StoreError {
        StoreError(code, "batch insert", message, entity: entity.name, key: attribute.name)
    }
}
