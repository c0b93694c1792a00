public import FoundationEssentials

/// Dates as text: ISO 8601 in UTC with as many digits of a second as there are, `2026-11-30T12:00:00.25Z`.
public enum DateText {
    /// The days from 0000-03-01 to 2001-01-01, in the Gregorian calendar.
    private static let daysToReference = 730_791

    /// Returns the text; `nil` for a date that it cannot represent exactly, or outside of the years 0 to 9999.
    public static func text(_ date: Date) -> String? {
        let seconds = date.timeIntervalSinceReferenceDate
        guard (-63_113_904_000..<252_423_993_600).contains(seconds) else { return nil }
        let whole = seconds.rounded(.down)
        let billionths = Int(((seconds - whole) * 1e9).rounded())
        guard billionths < 1_000_000_000, whole + Double(billionths) / 1e9 == seconds else { return nil }
        let (days, second) = floorDivided(Int(whole), 86_400)
        let day = day(after: days)
        var text: [UInt8] = []
        text.reserveCapacity(32)
        append(day.year, 4, to: &text)
        append(UInt8(ascii: "-"), day.month, to: &text)
        append(UInt8(ascii: "-"), day.day, to: &text)
        append(UInt8(ascii: "T"), second / 3_600, to: &text)
        append(UInt8(ascii: ":"), second / 60 % 60, to: &text)
        append(UInt8(ascii: ":"), second % 60, to: &text)
        if billionths > 0 {
            text.append(UInt8(ascii: "."))
            append(billionths, 9, to: &text)
            while text.last == UInt8(ascii: "0") { text.removeLast() }
        }
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the date of a text with a time and a zone, to the minute or more exact; or of seconds since 2001.
    ///
    /// - Returns: `nil` for another text, and for a day or a time that does not exist.
    public static func date(_ text: String) -> Date? {
        guard text.utf8.contains(UInt8(ascii: ":")) else {
            return Double(text).flatMap { $0.isFinite ? Date(timeIntervalSinceReferenceDate: $0) : nil }
        }
        var reader = Reader(Array(text.utf8))
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), (1...12).contains(month), reader.skip("-"),
            let day = reader.number(2), day >= 1, reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.number(2), hour < 24, reader.skip(":"), let minute = reader.number(2), minute < 60
        else { return nil }
        var second = 0
        var fraction = 0.0
        if reader.skip(":") {
            guard let number = reader.number(2), number < 60 else { return nil }
            second = number
            if reader.skip(".") || reader.skip(",") {
                guard let digits = reader.fraction() else { return nil }
                fraction = digits
            }
        }
        guard let offset = reader.zone(), reader.isAtEnd else { return nil }
        let days = daysBefore(year, month, day)
        // A day that the month lacks is one of the next month.
        guard DateText.day(after: days) == (year, month, day) else { return nil }
        let whole = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
        return Date(timeIntervalSinceReferenceDate: Double(whole) + fraction)
    }

    private static func floorDivided(_ number: Int, _ divisor: Int) -> (quotient: Int, remainder: Int) {
        let remainder = (number % divisor + divisor) % divisor
        return ((number - remainder) / divisor, remainder)
    }

    /// The day so many days after 2001-01-01.
    ///
    /// Years begin in March, so that the leap day is the last one.
    private static func day(after days: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = floorDivided(days + daysToReference, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    /// The days from 2001-01-01 to a day.
    private static func daysBefore(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let (era, yearOfEra) = floorDivided(month <= 2 ? year - 1 : year, 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - daysToReference
    }

    private static func append(_ mark: UInt8, _ number: Int, to text: inout [UInt8]) {
        text.append(mark)
        append(number, 2, to: &text)
    }

    private static func append(_ number: Int, _ digits: Int, to text: inout [UInt8]) {
        let start = text.count
        for _ in 0..<digits { text.append(UInt8(ascii: "0")) }
        var (rest, index) = (number, start + digits - 1)
        while rest > 0, index >= start {
            text[index] += UInt8(rest % 10)
            (rest, index) = (rest / 10, index - 1)
        }
    }

    /// Reads the parts of a date.
    private struct Reader {
        private let bytes: [UInt8]
        private var index = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool { index == bytes.count }

        mutating func skip(_ mark: Unicode.Scalar) -> Bool {
            guard index < bytes.count, bytes[index] == UInt8(ascii: mark) else { return false }
            index += 1
            return true
        }

        mutating func number(_ digits: Int) -> Int? {
            guard index + digits <= bytes.count else { return nil }
            var number = 0
            for byte in bytes[index..<(index + digits)] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                number = number * 10 + Int(byte - UInt8(ascii: "0"))
            }
            index += digits
            return number
        }

        mutating func fraction() -> Double? {
            let digits = bytes[index...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            index += digits.count
            return digits.isEmpty ? nil : Double("0." + String(decoding: digits, as: UTF8.self))
        }

        /// Returns the seconds east of UTC.
        mutating func zone() -> Int? {
            if skip("Z") || skip("z") { return 0 }
            let isEast = skip("+")
            guard isEast || skip("-"), let hours = number(2), hours < 24 else { return nil }
            _ = skip(":")
            let minutes = isAtEnd ? 0 : number(2) ?? 60
            return minutes < 60 ? (isEast ? 1 : -1) * (hours * 3_600 + minutes * 60) : nil
        }
    }
}
