import StrataSQL

/// A parameter's value in the server's binary format.
struct SQLParameter: Sendable, Hashable {
    /// The OID of the type.
    let oid: UInt32
    /// `nil` for null.
    let bytes: [UInt8]?
}

extension SQLParameter {
    private init(_ type: ColumnType, _ number: some FixedWidthInteger) {
        var buffer = BinaryBuffer()
        buffer.put(number)
        self.init(oid: type.oid, bytes: buffer.bytes)
    }

    static func bigint(_ number: Int64) -> SQLParameter { SQLParameter(.bigint, number) }
    static func integer(_ number: Int) -> SQLParameter { SQLParameter(.integer, Int32(truncatingIfNeeded: number)) }
    static func double(_ number: Double) -> SQLParameter { SQLParameter(.double, number.bitPattern) }
    static func boolean(_ flag: Bool) -> SQLParameter { SQLParameter(.boolean, UInt8(flag ? 1 : 0)) }
    static func text(_ text: String) -> SQLParameter { SQLParameter(oid: ColumnType.text.oid, bytes: Array(text.utf8)) }
    /// Returns a text without the character that the server cannot store, NUL.
    static func text(storable text: String) -> SQLParameter {
        SQLParameter(oid: ColumnType.text.oid, bytes: text.utf8.filter { $0 != 0 })
    }
    /// Returns a decimal or an integer; `nil` for NaN and other values.
    static func numeric(_ value: Value) -> SQLParameter? {
        var text: String
        switch value {
        case .int(let number): text = String(number)
        case .decimal(let number) where !number.isNaN: text = DecimalText.text(number)
        default: return nil
        }
        return text.withUTF8 { unsafe NumericText.binary(UnsafeRawBufferPointer($0)) }.map {
            SQLParameter(oid: ColumnType.numeric.oid, bytes: $0)
        }
    }
    static func bytea(_ bytes: [UInt8]) -> SQLParameter { SQLParameter(oid: ColumnType.bytea.oid, bytes: bytes) }
}
