import CStrataSQLite
import StrataModel

/// Decimals in columns in which SQLite would round them.
///
/// An integer within 64 bits is stored as such, a number of up to 15 significant digits as the nearest floating-point
/// number, which converts back to the same digits; any other as its text in a blob, and NaN as the text `NaN`.
enum DecimalColumn {
    /// The stored form of a number.
    enum Content: Equatable {
        case integer(Int64)
        case double(Double)
        case notANumber
        case digits
    }

    /// Returns the stored form of a number's text.
    static func content(of text: UnsafeRawBufferPointer) -> Content {
        if unsafe text.elementsEqual("NaN".utf8) { return .notANumber }
        var (digits, pending, hasPoint, number) = (0, 0, false, Int64(0))
        var fits = true
        for index in text.indices {
            let byte = unsafe text[index]
            switch byte {
            case UInt8(ascii: "-") where index == 0: continue
            case UInt8(ascii: ".") where !hasPoint: hasPoint = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let digit = Int64(byte - UInt8(ascii: "0"))
                let (product, overflow) = number.multipliedReportingOverflow(by: 10)
                let (difference, underflow) = product.subtractingReportingOverflow(digit)
                if overflow || underflow { fits = false }
                number = difference
                if digit == 0 {
                    if digits > 0 { pending += 1 }
                } else {
                    digits += pending + 1
                    pending = 0
                }
            default: return .digits
            }
        }
        let isNegative = unsafe text.first == UInt8(ascii: "-")
        if !hasPoint && fits && (isNegative || number != .min) { return .integer(isNegative ? number : -number) }
        guard digits <= 15, text.count < 300, let double = unsafe Double(String(decoding: text, as: UTF8.self)) else { return .digits }
        return .double(double)
    }

    /// Binds the number of a text.
    static func bind(_ text: UnsafeRawBufferPointer, to statement: Statement, at index: Int) throws {
        switch unsafe content(of: text) {
        case .integer(let number): statement.bind(number, at: index)
        case .double(let number): statement.bind(number, at: index)
        case .notANumber: try unsafe statement.bindText(text, at: index)
        case .digits: try unsafe statement.bindBlob(text, at: index)
        }
    }

    /// Sets a slot to the text of the number in a column.
    static func read(_ statement: Statement, _ column: Int32, _ slot: Slot, _ writer: inout RowWriter) {
        switch statement.type(column) {
        case SQLITE_NULL: return
        case SQLITE_FLOAT: writer.set(text: text(of: statement.double(column)), at: slot)
        case SQLITE_BLOB:
            if let bytes = unsafe statement.blobBytes(column) { unsafe writer.set(bytes: bytes, at: slot) }
        default:
            if let bytes = unsafe statement.textBytes(column) { unsafe writer.set(bytes: bytes, at: slot) }
        }
    }

    /// Returns the text of the number in a column; `nil` for null.
    static func text(_ statement: Statement, _ column: Int32) -> String? {
        switch statement.type(column) {
        case SQLITE_NULL: nil
        case SQLITE_FLOAT: text(of: statement.double(column))
        case SQLITE_BLOB: unsafe statement.blobBytes(column).map { unsafe String(decoding: $0, as: UTF8.self) }
        default: statement.text(column)
        }
    }

    /// Returns a decimal or an integer as a parameter in its stored form; `nil` for other values.
    static func binding(_ value: Value) -> SQLBinding? {
        switch value {
        case .int(let number): return .integer(number)
        case .decimal(let number):
            var text = DecimalText.text(number)
            return text.withUTF8 { bytes in
                switch unsafe content(of: UnsafeRawBufferPointer(bytes)) {
                case .integer(let number): .integer(number)
                case .double(let number): .double(number)
                case .notANumber: .text("NaN")
                case .digits: unsafe .blob(Array(bytes))
                }
            }
        default: return nil
        }
    }

    /// Returns the number in an argument of a function; `nil` for null.
    static func number(_ value: OpaquePointer?) -> DecimalNumber? {
        switch unsafe sqlite3_value_type(value) {
        case SQLITE_NULL: return nil
        case SQLITE_INTEGER: return unsafe DecimalNumber(sqlite3_value_int64(value))
        case SQLITE_FLOAT: return unsafe number(sqlite3_value_double(value))
        default:
            guard let start = unsafe sqlite3_value_blob(value) else { return nil }
            return unsafe DecimalNumber(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
        }
    }

    /// Returns the number in a column; `nil` for null.
    static func number(_ statement: Statement, _ column: Int32) -> DecimalNumber? {
        switch statement.type(column) {
        case SQLITE_NULL: nil
        case SQLITE_INTEGER: DecimalNumber(statement.integer(column))
        case SQLITE_FLOAT: number(statement.double(column))
        default: unsafe statement.blobBytes(column).flatMap { unsafe DecimalNumber($0) }
        }
    }

    private static func number(_ double: Double) -> DecimalNumber? {
        if let number = DecimalNumber(nearestTo: double) { return number }
        var text = text(of: double)
        return text.withUTF8 { unsafe DecimalNumber(UnsafeRawBufferPointer($0)) }
    }

    /// Sets the result of a function to a number.
    static func answer(_ number: Decimal, _ context: OpaquePointer?) {
        switch binding(.decimal(number)) {
        case .integer(let number): unsafe sqlite3_result_int64(context, number)
        case .double(let number): unsafe sqlite3_result_double(context, number)
        case .blob(let text):
            unsafe text.withUnsafeBytes { unsafe strata_sqlite_result_blob_copy(context, $0.baseAddress, Int32(clamping: $0.count)) }
        case .text: unsafe strata_sqlite_result_text_copy(context, "NaN", 3)
        default: unsafe sqlite3_result_null(context)
        }
    }

    private static func text(of number: Double) -> String {
        let text = number.description
        guard text.contains("e") || text.hasSuffix(".0") else { return text }
        // Foundation reads no exponent above 127, which a decimal of several digits may be written with.
        let parts = text.split(separator: "e")
        guard parts.count == 2, let exponent = Int(parts[1]), exponent > 0 else {
            return DecimalText.decimal(text).map(DecimalText.text) ?? text
        }
        let halves = parts[0].split(separator: ".")
        let fraction = halves.count == 2 && halves[1] != "0" ? halves[1] : ""
        return "\(halves[0])\(fraction)\(String(repeating: "0", count: max(0, exponent - fraction.count)))"
    }
}
