import Foundation

/// How numbers are printed.
enum Format {
    /// Seconds with three significant digits.
    static func time(_ seconds: Double) -> String {
        switch seconds {
        case 100...: String(format: "%.0f s", seconds)
        case 10...: String(format: "%.1f s", seconds)
        case 1...: String(format: "%.2f s", seconds)
        case 0.1...: String(format: "%.0f ms", seconds * 1e3)
        case 0.01...: String(format: "%.1f ms", seconds * 1e3)
        case 0.001...: String(format: "%.2f ms", seconds * 1e3)
        default: String(format: "%.0f µs", seconds * 1e6)
        }
    }

    static func ratio(_ ratio: Double) -> String { String(format: ratio >= 100 ? "%.0f×" : ratio >= 10 ? "%.1f×" : "%.2f×", ratio) }

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
