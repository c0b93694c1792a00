import StrataModel

struct DiagramLines {
    private let layout: DiagramLayout
    private static let inks = [
        "#2563eb", "#b45309", "#047857", "#be185d", "#6d28d9", "#0e7490", "#b91c1c", "#4d7c0f", "#a16207", "#475569",
    ]

    /// One end of a line: the point at a box, and the direction in which it leaves, 1 to the right and -1 to the left.
    private typealias Tip = (x: Double, y: Double, side: Double)

    init(_ layout: DiagramLayout) { self.layout = layout }

    func relationship(_ line: RelationshipLine, _ number: Int) -> String {
        let (from, to) = (line.source.entity.rawValue, line.destination.entity.rawValue)
        let (start, end) = tips(from, line.source.name, to, line.destination.name)
        let ink = DiagramLines.inks[number % DiagramLines.inks.count]
        var path = curve(start, end, spread: Double(number % 5) * 9)
        path += foot(start, line.nearCount) + foot(end, line.farCount)
        return "<path d=\"\(path)\" fill=\"none\" stroke=\"\(ink)\" stroke-width=\"1.3\"/>"
    }

    func inheritance(_ child: Int, _ parent: Int) -> String {
        let (start, end) = tips(child, nil, parent, nil)
        let (x, y) = (end.x + end.side * 11, end.y)
        let head = "M\(point(end.x, y))L\(point(x, y - 6))L\(point(x, y + 6))Z"
        let line = curve(start, (x, y, end.side), spread: 0)
        return "<path d=\"\(line)\" fill=\"none\" stroke=\"#6b7280\" stroke-width=\"1.5\" stroke-dasharray=\"6 4\"/>"
            + "<path d=\"\(head)\" fill=\"#ffffff\" stroke=\"#6b7280\" stroke-width=\"1.5\"/>"
    }

    private func tips(_ from: Int, _ name: String?, _ to: Int, _ other: String?) -> (Tip, Tip) {
        let (a, b) = (layout.boxes[from], layout.boxes[to])
        let (left, right) = (layout.columns[from], layout.columns[to])
        var (start, end) = (a.level(of: name), b.level(of: other))
        // A line from a row to itself would have no length.
        if from == to, abs(start - end) < 1 { (start, end) = (start - 4, end + 4) }
        let (startSide, endSide) = left < right ? (1.0, -1.0) : left > right ? (-1, 1) : (1, 1)
        return (
            (startSide > 0 ? a.x + a.width : a.x, start, startSide), (endSide > 0 ? b.x + b.width : b.x, end, endSide)
        )
    }

    private func curve(_ start: Tip, _ end: Tip, spread: Double) -> String {
        let reach = start.side == end.side ? 34 + spread : max(abs(end.x - start.x) * 0.45, 30)
        // On the same side, the curve extends as far from both, whatever their widths.
        let outer = max(start.x, end.x) + reach
        let (c1, c2) = start.side == end.side ? (outer, outer) : (start.x + start.side * reach, end.x + end.side * reach)
        return "M\(point(start.x, start.y))C\(point(c1, start.y)) \(point(c2, end.y)) \(point(end.x, end.y))"
    }

    private func foot(_ tip: Tip, _ count: RelationshipLine.Count) -> String {
        let x = tip.x + tip.side * 10
        switch count {
        case .any: return "M\(point(x, tip.y))L\(point(tip.x, tip.y - 5))M\(point(x, tip.y))L\(point(tip.x, tip.y + 5))"
        case .one, .oneAtMost:
            let bar = tip.x + tip.side * 6
            return "M\(point(bar, tip.y - 5))L\(point(bar, tip.y + 5))"
        case .unknown: return ""
        }
    }

    private func point(_ x: Double, _ y: Double) -> String { "\(SVGDrawing.number(x)) \(SVGDrawing.number(y))" }
}
