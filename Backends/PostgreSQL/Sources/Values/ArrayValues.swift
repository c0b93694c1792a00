/// An array parameter: values of one type.
struct ArrayValues {
    let type: ColumnType
    private(set) var count = 0
    /// The values as fields of the binary format.
    var fields = BinaryBuffer()

    init(_ type: ColumnType) { self.type = type }

    /// An array of numbers.
    init(_ numbers: some Sequence<Int64>) {
        self.init(.bigint)
        for number in numbers { append { $0.put(field: number) } }
    }

    /// An array of texts.
    init(_ texts: some Sequence<String>) {
        self.init(.text)
        for text in texts { append { $0.put(field: Array(text.utf8)) } }
    }

    /// Adds a value, which `body` appends as one field.
    mutating func append(_ body: (inout BinaryBuffer) throws -> Void) rethrows {
        try body(&fields)
        count += 1
    }

    /// The parameter with all values.
    var parameter: SQLParameter {
        var buffer = BinaryBuffer()
        buffer.put(Int32(count == 0 ? 0 : 1))
        buffer.put(Int32(1))
        buffer.put(type.oid)
        if count > 0 {
            buffer.put(Int32(truncatingIfNeeded: count))
            buffer.put(Int32(1))
            buffer.put(raw: fields.bytes)
        }
        return SQLParameter(oid: type.arrayOID, bytes: buffer.bytes)
    }
}
