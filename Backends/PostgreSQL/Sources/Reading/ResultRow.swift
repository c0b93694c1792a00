import StrataSQL

struct ResultRow: GroupRow {
    let result: ResultTable
    let row: Int

    func isNull(_ column: Int) -> Bool { result.isNull(row, column) }

    func decimalSum(_ column: Int) -> DecimalSum? { unsafe result.bytes(row, column).flatMap { unsafe DecimalSum($0) } }

    /// Returns the value; `nil` for a URL with several spellings, and a decimal with more digits than the core keeps, from another program.
    func value(_ column: Int, _ kind: SlotKind) -> Value? {
        let value = result.value(row, column, kind)
        if kind == .uri, let text = result.text(row, column) {
            guard case .url(let address) = value, address.absoluteString == text else { return nil }
        }
        if kind == .decimal, let bytes = unsafe result.bytes(row, column) {
            guard case .decimal(let number) = value, !number.isNaN,
                unsafe NumericText.shortest(bytes).elementsEqual(DecimalText.text(number).utf8)
            else { return nil }
        }
        return value
    }
}

extension ResultTable {
    /// Returns the value of a kind in a column.
    func value(_ row: Int, _ column: Int, _ kind: SlotKind) -> Value {
        switch kind {
        case .boolean: number(row, column, as: UInt8.self).map { .bool($0 != 0) } ?? .null
        case .string: text(row, column).map { .string($0) } ?? .null
        case .decimal: text(row, column).flatMap { DecimalText.decimal($0) }.map { .decimal($0) } ?? .null
        case .uri: text(row, column).flatMap { URL(string: $0) }.map { .url($0) } ?? .null
        case .double, .float: double(row, column).map { .double($0) } ?? .null
        case .date: double(row, column).map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? .null
        case .uuid:
            unsafe bytes(row, column).flatMap { bytes in
                unsafe bytes.count == 16 ? .some(.uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))) : .none
            } ?? .null
        default: integer(row, column).map { .int($0) } ?? .null
        }
    }

    private func double(_ row: Int, _ column: Int) -> Double? {
        number(row, column, as: UInt64.self).map { Double(bitPattern: $0) }
    }
}
