import Foundation

typealias Bytes = UnsafeBufferPointer<UInt8>

extension UInt8 {
    static let newline = UInt8(ascii: "\n")
    static let space = UInt8(ascii: " ")
    var isBlank: Bool { self == .space || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r") || self == .newline }
}

extension [UInt8] {
    /// Typed throws do not pass through `withUnsafeBufferPointer` in every mode; this one keeps the error's type.
    func withBytes<Result, Failure: Error>(_ body: (Bytes) throws(Failure) -> Result) throws(Failure) -> Result {
        try withUnsafeBufferPointer(body)
    }
}

extension UnsafeBufferPointer<UInt8> {
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        guard start < count, let base = baseAddress, let hit = memchr(base + start, Int32(byte), count - start) else { return nil }
        return base.distance(to: hit.assumingMemoryBound(to: UInt8.self))
    }

    func isBlank(_ from: Int, _ to: Int) -> Bool {
        var index = from
        while index < to {
            if !self[index].isBlank { return false }
            index += 1
        }
        return true
    }

    func part(_ range: Range<Int>) -> Bytes { Bytes(rebasing: self[range]) }

    /// Without blanks at either end.
    var trimmed: Bytes {
        var low = 0
        var high = count
        while low < high, self[low].isBlank { low += 1 }
        while high > low, self[high - 1].isBlank { high -= 1 }
        return part(low..<high)
    }

    func equals(_ text: StaticString) -> Bool {
        guard text.utf8CodeUnitCount == count else { return false }
        guard count > 0, let base = baseAddress else { return true }
        return memcmp(base, text.utf8Start, count) == 0
    }

    /// The parts between separators; an empty text has none.
    func split(at separator: UInt8, _ body: (Bytes) throws(ArchiveError.Problem) -> Void) throws(ArchiveError.Problem) {
        guard count > 0 else { return }
        var start = 0
        while let end = firstIndex(of: separator, from: start) {
            try body(part(start..<end))
            start = end + 1
        }
        try body(part(start..<count))
    }

    /// The string that these bytes are in UTF-8, or nil where they are not UTF-8.
    var string: String? { String(validating: self, as: UTF8.self) }

    /// An unsigned decimal number that fits.
    var number: Int64? {
        guard count > 0 else { return nil }
        var value: Int64 = 0
        for byte in self {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            if overflow || carry { return nil }
            value = sum
        }
        return value
    }

    /// The bytes that an even number of hexadecimal digits spells.
    var hexadecimal: [UInt8]? {
        guard count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count / 2)
        var index = 0
        while index < count {
            guard let high = Self.digit(self[index]), let low = Self.digit(self[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
            index += 2
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
