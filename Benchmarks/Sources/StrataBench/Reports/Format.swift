import Foundation

/// How numbers are printed.
enum Format {
    /// How many digits of a measurement say something: what was measured once repeats in two at best.
    static func digits(ofRuns runs: Int) -> Int { runs > 1 ? 3 : 2 }

    /// Seconds with some significant digits.
    static func time(_ seconds: Double, digits: Int = 3) -> String {
        switch seconds {
        case 0.9995...: number(seconds, digits) + " s"
        case 0.0009995...: number(seconds * 1e3, digits) + " ms"
        default: number(seconds * 1e6, min(digits, 2)) + " µs"
        }
    }

    /// A ratio with some significant digits.
    static func ratio(_ ratio: Double, digits: Int = 3) -> String {
        if ratio < 0.01 { return ratio > 0 ? "<0.01×" : "0×" }
        // As many places behind the point for all around 1, where they are compared.
        return (ratio < 1 ? String(format: "%.2f", ratio) : number(ratio, digits)) + "×"
    }

    /// A number with some significant digits, and never fewer than it has before its point.
    private static func number(_ value: Double, _ digits: Int) -> String {
        let before = value < 1 ? 1 : Int(log10(value)) + 1
        let rounded = before < digits ? value : (value / pow(10, Double(before - digits))).rounded() * pow(10, Double(before - digits))
        return String(format: "%.\(max(0, digits - before))f", rounded)
    }

    static func bytes(_ bytes: Int) -> String {
        switch bytes {
        case 0: "–"
        case ..<1_000_000: String(format: "%.0f kB", Double(bytes) / 1e3)
        case ..<10_000_000: String(format: "%.1f MB", Double(bytes) / 1e6)
        case ..<1_000_000_000: String(format: "%.0f MB", Double(bytes) / 1e6)
        default: String(format: "%.2f GB", Double(bytes) / 1e9)
        }
    }

    /// A count with thousands separated.
    static func count(_ count: Int) -> String {
        var digits = String(abs(count))
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return (count < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }
}
