import Foundation

/// How numbers are printed.
package enum Format {
    /// How many digits of a measurement say something: what was measured once repeats in two at best.
    static func digits(ofRuns runs: Int) -> Int { runs > 1 ? 3 : 2 }

    /// Seconds with some significant digits.
    package static func time(_ seconds: Double, digits: Int = 3) -> String { time([seconds], digits: digits) }

    /// The shortest and the longest of several times, in one unit.
    static func spread(_ seconds: ClosedRange<Double>, digits: Int = 3) -> String {
        time([seconds.lowerBound, seconds.upperBound], digits: digits)
    }

    /// Times in the unit of the last.
    private static func time(_ seconds: [Double], digits: Int) -> String {
        let (unit, size, digits) =
            switch seconds.last ?? 0 {
            case 0.9995...: ("s", 1.0, digits)
            case 0.000_999_5...: ("ms", 1e-3, digits)
            // The clock and the calls to it weigh in what is so short.
            case 0.000_000_995...: ("µs", 1e-6, min(digits, 2))
            default: ("ns", 1e-9, min(digits, 2))
            }
        return seconds.map { number($0 / size, digits) }.joined(separator: "–") + " " + unit
    }

    /// A ratio with some significant digits.
    static func ratio(_ ratio: Double, digits: Int = 3) -> String {
        if ratio < 0.01 { return ratio > 0 ? "<0.01×" : "0×" }
        // As many places behind the point for all around 1, where they are compared.
        return (ratio < 0.995 ? String(format: "%.2f", ratio) : number(max(ratio, 1), digits)) + "×"
    }

    /// A size with some significant digits.
    package static func bytes(_ bytes: Int, digits: Int = 3) -> String {
        switch Double(bytes) {
        case ...0: "–"
        case ..<999_500: number(Double(bytes) / 1e3, digits) + " kB"
        case ..<999_500_000: number(Double(bytes) / 1e6, digits) + " MB"
        default: number(Double(bytes) / 1e9, digits) + " GB"
        }
    }

    /// How often something happens for an object.
    static func perObject(_ count: Double) -> String {
        switch count {
        case ..<0.05: "0"
        case ..<9.95: String(format: "%.1f", count)
        default: Self.count(Int(count.rounded()))
        }
    }

    /// How many bytes something takes for an object.
    static func bytesPerObject(_ bytes: Double) -> String {
        bytes < 999.5 ? "\(Int(bytes.rounded())) B" : Self.bytes(Int(bytes), digits: 2)
    }

    /// A count with thousands separated.
    package static func count(_ count: Int) -> String {
        var digits = String(abs(count))
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return (count < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }

    /// A number with some significant digits, and never fewer than it has before its point.
    private static func number(_ value: Double, _ digits: Int) -> String {
        if value <= 0 { return "0" }
        let last = pow(10, log10(value).rounded(.down) - Double(digits - 1))
        let rounded = (value / last).rounded() * last
        // What was rounded up to a power of ten may lie a bit below it.
        let places = digits - 1 - Int(log10(rounded * (1 + 1e-9)).rounded(.down))
        return String(format: "%.\(max(0, places))f", rounded)
    }
}
