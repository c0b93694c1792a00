import Foundation
import Strata
import StrataModel

/// The types of attributes: all values of each are numbered.
enum FieldType: String, Codable, CaseIterable {
    case short, int, long, double, text, flag, date, bytes, decimal, uuid

    var type: AttributeType {
        switch self {
        case .short: .integer16
        case .int: .integer32
        case .long: .integer64
        case .double: .double
        case .text: .string
        case .flag: .boolean
        case .date: .date
        case .bytes: .binary
        case .decimal: .decimal
        case .uuid: .uuid
        }
    }

    /// Whether ranges make sense.
    var isNumber: Bool { self == .short || self == .int || self == .long }

    /// The number that a value comes back with.
    func kept(_ number: Int) -> Int { self == .flag ? number & 1 : number }

    func value(_ number: Int) -> Value {
        switch self {
        case .short, .int, .long: .int(Int64(number))
        case .double: .double(Double(number) / 2)
        case .text: .string("é\(number)")
        case .flag: .bool(number & 1 == 1)
        case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number) * 3600))
        case .bytes: .data(Data("\(number)".utf8))
        case .decimal: .decimal(Decimal(number) / 4)
        case .uuid: .uuid(UUID(uuid: (UInt8(truncatingIfNeeded: number), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
        }
    }

    /// The number of a value that was read; `nil` where it is none of these, which is a failure.
    func number(_ value: Any) -> Int? {
        switch (self, value) {
        case (.short, let value as Int), (.int, let value as Int), (.long, let value as Int): value
        case (.double, let value as Double): Int(value * 2)
        case (.text, let value as String): Int(value.dropFirst())
        case (.flag, let value as Bool): value ? 1 : 0
        case (.date, let value as Date): Int(value.timeIntervalSinceReferenceDate / 3600)
        case (.bytes, let value as Data): Int(String(decoding: value, as: UTF8.self))
        case (.decimal, let value as Decimal): Int(NSDecimalNumber(decimal: value * 4).intValue)
        case (.uuid, let value as UUID): Int(Int8(bitPattern: value.uuid.0))
        default: nil
        }
    }
}
