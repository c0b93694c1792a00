import StrataWorkload

/// Horizontal bars in groups, each with its value beside it, and a line from its least to its greatest value.
struct BarPlot {
    struct Bar {
        var name: String
        var kind: ParticipantKind
        var value: Double
        var spread: ClosedRange<Double>?
        var label: String
    }

    /// Bars that have something in common.
    struct Group {
        /// What that is, where it is written above them.
        var title: String?
        var bars: [Bar]
    }

    var title: String
    var groups: [Group]
    /// How a mark of the axis is written.
    var mark: (Double) -> String

    var axis: Axis {
        Axis(groups.flatMap(\.bars).flatMap { bar in [bar.value] + (bar.spread.map { [$0.lowerBound, $0.upperBound] } ?? []) })
    }

    private static let nameWidth = 125.0
    private static let labelWidth = 105.0
    private static let rowHeight = 20.0
    private static let titleHeight = 19.0
    private static let gap = 7.0

    var svg: String {
        let axis = axis
        let tops = tops
        let bottom = tops.bottom
        var svg = SVG(width: 380, height: bottom + (axis.isLogarithmic ? 16 : 2))
        let room = svg.width - Self.nameWidth - Self.labelWidth
        func x(_ value: Double) -> Double { Self.nameWidth + max(1, axis.share(value) * room) }
        // Bars that begin at nothing need no marks.
        for (index, tick) in axis.ticks.enumerated() where axis.isLogarithmic {
            svg.line([(x(tick), 0), (x(tick), bottom)], style: "mark")
            if index.isMultiple(of: axis.ticks.count > 3 ? 2 : 1) {
                svg.text(mark(tick), x: x(tick), y: bottom + 12, style: "label", anchor: "middle")
            }
        }
        for (group, top) in zip(groups, tops.groups) {
            if let title = group.title { svg.text(title, x: 0, y: top - 5, style: "label") }
            for (index, bar) in group.bars.enumerated() {
                let top = top + Double(index) * Self.rowHeight
                svg.text(bar.name, x: 0, y: top + 13)
                svg.bar(x: Self.nameWidth, y: top + 3, width: x(bar.value) - Self.nameWidth, height: 13, style: bar.kind.rawValue)
                if let spread = bar.spread {
                    let (least, most, middle) = (x(spread.lowerBound), x(spread.upperBound), top + 9.5)
                    svg.line([(least, middle), (most, middle)], style: "spread")
                    for end in [least, most] { svg.line([(end, middle - 3.5), (end, middle + 3.5)], style: "spread") }
                }
                svg.text(bar.label, x: x(max(bar.value, bar.spread?.upperBound ?? 0)) + 5, y: top + 13, style: "label")
            }
        }
        return svg.text(title: title)
    }

    /// Where the bars of each group begin, and where the last one ends.
    private var tops: (groups: [Double], bottom: Double) {
        var (tops, bottom): ([Double], Double) = ([], 0)
        for group in groups {
            let top = bottom + (tops.isEmpty ? 0 : Self.gap) + (group.title == nil ? 0 : Self.titleHeight)
            tops.append(top)
            bottom = top + Double(group.bars.count) * Self.rowHeight
        }
        return (tops, bottom)
    }
}
