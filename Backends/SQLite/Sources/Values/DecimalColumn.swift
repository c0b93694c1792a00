import CStrataSQLite
import StrataModel

/// Decimal numbers in columns that SQLite would round.
///
/// A whole number that fits 64 bits is kept as one, a number of up to 15 significant digits as the floating-point number nearest to it,
/// which leads back to the same digits; any other as its text in a blob, and what is no number as the text `NaN`.
enum DecimalColumn {
    /// How a number is kept.
    enum Content: Equatable {
        case integer(Int64)
        case double(Double)
        case notANumber
        case digits
    }

    /// How the number of a text is kept.
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

    /// Fills a slot with the text of the number in a column.
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

    /// The text of the number in a column, `nil` where there is none.
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
