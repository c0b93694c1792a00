import Foundation
import StrataWorkload

/// Horizontal bars under one title, each with its value beside it; their lengths are logarithms where the values span more than a hundred.
struct BarPlot {
    struct Bar {
        var name: String
        var kind: ParticipantKind
        var value: Double
        var label: String
    }

    var title: String
    var bars: [Bar]

    private static let width = 380.0
    private static let nameWidth = 125.0
    private static let labelWidth = 105.0
    private static let rowHeight = 20.0
    private static let titleHeight = 26.0

    /// The plot as an inline SVG element; its colours come from the page's style.
    var svg: String {
        let most = bars.map(\.value).max() ?? 0
        let least = bars.map(\.value).filter { $0 > 0 }.min() ?? most
        let isLogarithmic = most > 100 * least
        let title = isLogarithmic ? title + ", logarithmic" : title
        let height = Self.titleHeight + Double(bars.count) * Self.rowHeight + 4
        let room = Self.width - Self.nameWidth - Self.labelWidth
        var lines = [
            "<svg viewBox=\"0 0 \(Self.number(Self.width)) \(Self.number(height))\" role=\"img\" aria-label=\"\(HTMLReport.escaped(title))\">",
            "<text class=\"title\" x=\"0\" y=\"15\">\(HTMLReport.escaped(title))</text>",
        ]
        for (place, bar) in bars.enumerated() {
            let top = Self.titleHeight + Double(place) * Self.rowHeight
            // The least value gets a tenth of what a decade gets.
            let share = isLogarithmic ? (log10(max(bar.value, least) / least) + 0.1) / (log10(most / least) + 0.1) : bar.value / most
            let length = most > 0 ? max(1, share * room) : 1
            lines.append("<text x=\"0\" y=\"\(Self.number(top + 13))\">\(HTMLReport.escaped(bar.name))</text>")
            lines.append(
                "<rect class=\"\(bar.kind.rawValue)\" x=\"\(Self.number(Self.nameWidth))\" y=\"\(Self.number(top + 3))\" "
                    + "width=\"\(Self.number(length))\" height=\"13\" rx=\"2\"/>"
            )
            lines.append(
                "<text class=\"label\" x=\"\(Self.number(Self.nameWidth + length + 5))\" y=\"\(Self.number(top + 13))\">"
                    + "\(HTMLReport.escaped(bar.label))</text>"
            )
        }
        return lines.joined(separator: "\n") + "\n</svg>"
    }

    private static func number(_ value: Double) -> String { String(format: "%.1f", value) }
}
