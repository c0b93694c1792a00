import Foundation
import StrataWorkload

/// An inline SVG element; its colours come from the page's style.
struct SVG {
    private var elements: [String] = []
    let width: Double
    let height: Double

    init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    mutating func text(_ text: String, x: Double, y: Double, style: String = "", anchor: String = "start") {
        let place = "x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\""
        elements.append("<text class=\"\(style)\" \(place)>\(HTMLReport.escaped(text))</text>")
    }

    mutating func bar(x: Double, y: Double, width: Double, height: Double, style: String) {
        let frame = "x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" height=\"\(number(height))\""
        elements.append("<rect class=\"\(style)\" \(frame) rx=\"2\"/>")
    }

    mutating func line(_ points: [(x: Double, y: Double)], style: String) {
        let path = points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
        elements.append("<polyline class=\"\(style)\" points=\"\(path)\"/>")
    }

    /// - Parameter title: What it shows, for those who do not see it.
    func text(title: String) -> String {
        (["<svg viewBox=\"0 0 \(number(width)) \(number(height))\" role=\"img\" aria-label=\"\(HTMLReport.escaped(title))\">"] + elements
            + ["</svg>"]).joined(separator: "\n")
    }

    private func number(_ value: Double) -> String { String(format: "%.1f", value) }
}
