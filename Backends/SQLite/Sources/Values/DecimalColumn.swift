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

    private static func text(of number: Double) -> String {
        let text = number.description
        return text.contains("e") || text.hasSuffix(".0") ? DecimalText.decimal(text).map(DecimalText.text) ?? text : text
    }
}
