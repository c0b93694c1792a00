import StrataSQL

/// The constant side of an `IN`: a few values as parameters, many as one.
enum ValueList {
    /// The maximum number of values as separate parameters; a longer statement takes longer to prepare than to run.
    private static let capacity = 128

    /// Returns the condition that a value is among those of a list, which is not empty; null for null.
    ///
    /// `t0.ZAGE IN (?, ?)` up to 128 values, their number rounded up to a power of two; `t0.ZAGE IN (SELECT value FROM
    /// json_each(?))` for more integers or texts, and `strata_member(?, t0.ZRATE)` for other values.
    static func membership(of subject: SQLExpression, _ values: [SQLBinding]) -> SQLText {
        if values.count <= capacity { return "\(subject.sql) IN (\(ParameterList.sql(values)))" }
        if let json = json(values) { return "\(subject.sql) IN (SELECT value FROM json_each(\(bind: .textBytes(json))))" }
        return "\(SQLFunctions.member)\(bind: .set(BindingSet(values))), \(subject.sql))"
    }

    /// Returns the values as JSON; `nil` unless SQLite reads the same ones from it: integers, and text without NUL, which would end it.
    private static func json(_ values: [SQLBinding]) -> [UInt8]? {
        var elements: [String] = []
        for value in values {
            switch value {
            case .integer(let number): elements.append(String(number))
            case .text(let text) where !text.utf8.contains(0):
                elements.append(
                    TextEscaping.quoted(text) {
                        $0.value < 0x20 ? ($0.value < 0x10 ? "\\u000" : "\\u00") + String($0.value, radix: 16) : nil
                    })
            default: return nil
            }
        }
        return Array("[\(elements.joined(separator: ","))]".utf8)
    }
}

/// A set of values for lookups of columns' values, by SQL's equality.
final class BindingSet: Sendable, Hashable {
    private let values: Set<SQLBinding>

    init(_ values: [SQLBinding]) { self.values = Set(values.map(BindingSet.normal)) }

    func contains(_ value: SQLBinding) -> Bool { values.contains(BindingSet.normal(value)) }

    /// Numbers are equal whatever their type, text by its bytes.
    private static func normal(_ value: SQLBinding) -> SQLBinding {
        switch value {
        case .double(let number): Int64(exactly: number).map { .integer($0) } ?? value
        case .text(let text): .textBytes(Array(text.utf8))
        default: value
        }
    }

    static func == (a: BindingSet, b: BindingSet) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The parameters of a list of varying length.
enum ParameterList {
    /// Returns the values, with the last one repeated until their number is a power of two, so that few statements serve all lengths.
    static func sql(_ values: [SQLBinding]) -> SQLText {
        guard let last = values.last else { return "NULL" }
        var size = 1
        while size < values.count { size *= 2 }
        return "\((0..<size).map { SQLText("\(bind: $0 < values.count ? values[$0] : last)") })"
    }
}
