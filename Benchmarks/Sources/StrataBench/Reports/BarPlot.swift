import StrataWorkload

/// Horizontal bars, each with its value beside it.
struct BarPlot {
    struct Bar {
        var name: String
        var kind: ParticipantKind
        var value: Double
        var label: String
    }

    var title: String
    var bars: [Bar]
    /// How a mark of the axis is written.
    var mark: (Double) -> String

    var axis: Axis { Axis(bars.map(\.value)) }

    private static let nameWidth = 125.0
    private static let labelWidth = 105.0
    private static let rowHeight = 20.0

    var svg: String {
        let axis = axis
        let bottom = Double(bars.count) * Self.rowHeight
        var svg = SVG(width: 380, height: bottom + (axis.isLogarithmic ? 16 : 2))
        let room = svg.width - Self.nameWidth - Self.labelWidth
        // Bars that begin at nothing need no marks.
        for (place, tick) in axis.ticks.enumerated() where axis.isLogarithmic {
            let x = Self.nameWidth + axis.share(tick) * room
            svg.line([(x, 0), (x, bottom)], style: "mark")
            if place.isMultiple(of: axis.ticks.count > 4 ? 2 : 1) {
                svg.text(mark(tick), x: x, y: bottom + 12, style: "label", anchor: "middle")
            }
        }
        for (place, bar) in bars.enumerated() {
            let top = Double(place) * Self.rowHeight
            let length = max(1, axis.share(bar.value) * room)
            svg.text(bar.name, x: 0, y: top + 13)
            svg.bar(x: Self.nameWidth, y: top + 3, width: length, height: 13, style: bar.kind.rawValue)
            svg.text(bar.label, x: Self.nameWidth + length + 5, y: top + 13, style: "label")
        }
        return svg.text(title: title)
    }
}
