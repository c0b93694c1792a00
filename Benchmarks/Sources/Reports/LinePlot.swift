import Foundation
import StrataWorkload

/// Lines over counts, whose axis is logarithmic, each with its name at its end.
struct LinePlot {
    struct Line {
        var name: String
        var kind: ParticipantKind
        var points: [(count: Int, value: Double)]
    }

    var title: String
    var lines: [Line]
    /// How a mark of the axis of values is written.
    var mark: (Double) -> String

    var axis: Axis { Axis(lines.flatMap(\.points).map(\.value)) }

    private static let left = 55.0
    private static let nameWidth = 165.0
    private static let bottom = 130.0

    var svg: String {
        let (axis, counts) = (axis, Set(lines.flatMap(\.points).map(\.count)).sorted())
        var svg = SVG(width: 380, height: Self.bottom + 20)
        let room = svg.width - Self.left - Self.nameWidth
        let (fewest, most) = (log10(Double(counts.first ?? 1)), log10(Double(counts.last ?? 1)))
        func x(_ count: Int) -> Double { Self.left + (log10(Double(count)) - fewest) / max(most - fewest, 1e-9) * room }
        func y(_ value: Double) -> Double { Self.bottom - axis.share(value) * (Self.bottom - 10) }
        for tick in axis.ticks {
            svg.line([(Self.left, y(tick)), (Self.left + room, y(tick))], style: "mark")
            svg.text(mark(tick), x: Self.left - 5, y: y(tick) + 4, style: "label", anchor: "end")
        }
        for count in counts { svg.text(Format.count(count), x: x(count), y: Self.bottom + 15, style: "label", anchor: "middle") }
        var nameBottom = Double.infinity
        for line in lines.sorted(by: { ($0.points.last?.value ?? 0) < ($1.points.last?.value ?? 0) }) {
            guard let last = line.points.last else { continue }
            svg.line(line.points.map { (x($0.count), y($0.value)) }, style: "line \(line.kind.rawValue)")
            // Names whose lines end close to each other stand one above the other.
            nameBottom = min(y(last.value) + 4, nameBottom - 13)
            svg.text(line.name, x: x(last.count) + 6, y: nameBottom)
        }
        return svg.text(title: title)
    }
}
