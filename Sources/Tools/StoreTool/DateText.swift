public import FoundationEssentials

/// Dates as text: ISO 8601 in UTC with as many digits of a second as there are, `2026-11-30T12:00:00.25Z`.
public enum DateText {
    /// Returns the text; `nil` for a date that it cannot tell exactly, or outside of the years 0 to 9999.
    public static func text(_ date: Date) -> String? {
        let seconds = date.timeIntervalSinceReferenceDate
        guard (-63_113_904_000..<252_423_993_600).contains(seconds) else { return nil }
        let whole = seconds.rounded(.down)
        let billionths = Int(((seconds - whole) * 1e9).rounded())
        guard billionths < 1_000_000_000, whole + Double(billionths) / 1e9 == seconds else { return nil }
        let text = Date(timeIntervalSinceReferenceDate: whole).formatted(.iso8601)
        if billionths == 0 { return text }
        var digits = String(billionths)
        digits = String(repeating: "0", count: 9 - digits.count) + digits
        while digits.last == "0" { digits.removeLast() }
        return "\(text.dropLast()).\(digits)Z"
    }

    /// Returns the date of a text, with or without a fraction of a second; or of seconds since 2001.
    public static func date(_ text: String) -> Date? {
        if let seconds = Double(text) { return Date(timeIntervalSinceReferenceDate: seconds) }
        guard let point = text.firstIndex(of: ".") else { return try? Date(text, strategy: .iso8601) }
        let fraction = text[text.index(after: point)...].prefix { $0.isNumber }
        let rest = text[..<point] + text[text.index(after: point)...].dropFirst(fraction.count)
        guard let digits = Double("0." + fraction), let whole = try? Date(String(rest), strategy: .iso8601) else { return nil }
        return Date(timeIntervalSinceReferenceDate: whole.timeIntervalSinceReferenceDate + digits)
    }
}
