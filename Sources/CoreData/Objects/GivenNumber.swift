import Foundation
import StrataModel

/// A number of any type that a program may set for a numeric attribute.
///
/// It is converted as Objective-C converts an `NSNumber`: values beyond the range of the target become the nearest
/// value, a fraction is truncated, and NaN is zero for integers.
enum GivenNumber {
    case integer(Int64)
    /// An integer above `Int64.max`.
    case unsigned(UInt64)
    case floating(Double)
    case decimal(Decimal)

    /// `nil` for values other than numbers; truth values are numbers.
    init?(_ value: Any) {
        switch value {
        // The most frequent type, and the cheapest cast; an `NSNumber` with such a value matches, too.
        case let integer as Int: self = .integer(Int64(integer))
        case let integer as any BinaryInteger: self.init(integer)
        case let number as any BinaryFloatingPoint: self = .floating(Double(number))
        case let number as Decimal: self = .decimal(number)
        case let number as NSDecimalNumber: self = .decimal(number.decimalValue)
        case let number as NSNumber:
            if number.isFloatingPoint {
                self = .floating(number.doubleValue)
            } else if number.int64Value < 0, number.uint64Value == UInt64(bitPattern: number.int64Value), number.isUnsigned {
                self = .unsigned(number.uint64Value)
            } else {
                self = .integer(number.int64Value)
            }
        default: return nil
        }
    }

    private init(_ integer: some BinaryInteger) {
        if let number = Int64(exactly: integer) {
            self = .integer(number)
        } else {
            self = UInt64(exactly: integer).map { .unsigned($0) } ?? .integer(Int64(clamping: integer))
        }
    }

    /// Returns the number as an attribute of a type holds it; `nil` if the type is not numeric.
    ///
    /// An integer may be out of the type's range: the validation rejects it.
    func kept(_ type: AttributeType) -> Any? {
        switch type {
        case .integer16, .integer32, .integer64: integer
        case .double: double
        case .float: Double(Float(double))
        case .boolean: isTrue
        case .decimal: decimal
        default: nil
        }
    }

    private var integer: Int64 {
        switch self {
        case .integer(let number): number
        case .unsigned(let number): Int64(bitPattern: number)
        case .floating(let number): GivenNumber.integer(number)
        case .decimal(let number): GivenNumber.integer(number)
        }
    }

    private static func integer(_ number: Double) -> Int64 {
        if number.isNaN { return 0 }
        return Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
    }

    private static func integer(_ number: Decimal) -> Int64 {
        if number.isNaN { return 0 }
        var (number, whole) = (number, Decimal())
        unsafe NSDecimalRound(&whole, &number, 0, number < 0 ? .up : .down)
        return Int64(whole.description) ?? (number < 0 ? .min : .max)
    }

    private var double: Double {
        switch self {
        case .integer(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .floating(let number): number
        case .decimal(let number): Double(number.description) ?? .nan
        }
    }

    private var isTrue: Bool {
        switch self {
        case .integer(let number): number != 0
        case .unsigned: true
        case .floating(let number): number != 0
        case .decimal(let number): !number.isZero
        }
    }

    private var decimal: Decimal {
        switch self {
        case .integer(let number): Decimal(number)
        case .unsigned(let number): Decimal(number)
        case .floating(let number): (number.isFinite ? Decimal(string: number.description) : nil) ?? .nan
        case .decimal(let number): number
        }
    }
}

extension NSNumber {
    /// Whether the number was made of a Boolean.
    var isBoolean: Bool { typeCode == UInt8(ascii: "c") && self is Bool }
    /// Whether the number was made of one with a fraction.
    var isFloatingPoint: Bool { typeCode == UInt8(ascii: "d") || typeCode == UInt8(ascii: "f") }
    /// Whether the number was made of an unsigned integer of 64 bits.
    fileprivate var isUnsigned: Bool { typeCode == UInt8(ascii: "Q") }

    private var typeCode: UInt8 { unsafe UInt8(bitPattern: objCType.pointee) }
}
