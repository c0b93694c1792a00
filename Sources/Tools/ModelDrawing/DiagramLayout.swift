/// Assigns boxes to columns by their distance from one, so that lines connect adjacent columns or boxes of one.
///
/// The layout depends on the model alone, so that equal models have equal diagrams.
struct DiagramLayout {
    private(set) var boxes: [DiagramBox]
    /// The column of each box within its group, which determines the side of its lines.
    private(set) var columns: [Int]
    private(set) var width = 0.0
    private(set) var height = 0.0
    private let neighbours: [[Int]]
    /// The boxes with lines to themselves.
    private let loops: Set<Int>

    static let margin = 24.0
    private static let verticalGap = 26.0
    private static let columnGap = 110.0
    private static let groupGap = 60.0
    /// The maximum number of boxes that are tried as the first one of a group.
    private static let mostTrials = 150

    init(_ boxes: [DiagramBox], lines: [(Int, Int)]) {
        self.boxes = boxes
        columns = Array(repeating: 0, count: boxes.count)
        var known = Array(repeating: Set<Int>(), count: boxes.count)
        for (from, to) in lines where from != to {
            known[from].insert(to)
            known[to].insert(from)
        }
        loops = Set(lines.filter { $0 == $1 }.map(\.0))
        neighbours = known.map { $0.sorted() }
        arrange()
    }

    // MARK: - Groups

    private mutating func arrange() {
        var groups: [(members: [[Int]], width: Double, height: Double)] = []
        var seen: Set<Int> = []
        for start in boxes.indices where !seen.contains(start) {
            let members = reach(from: start).flatMap(\.self)
            seen.formUnion(members)
            groups.append(arranged(members.sorted()))
        }
        // Groups are on shelves, the tallest first, that make a diagram somewhat wider than tall.
        let area = groups.reduce(0) { $0 + ($1.width + DiagramLayout.groupGap) * ($1.height + DiagramLayout.groupGap) }
        let limit = max((area * 1.5).squareRoot(), groups.map(\.width).max() ?? 0)
        let sorted = groups.indices.sorted { (-groups[$0].height, $0) < (-groups[$1].height, $1) }
        var (left, top, lowest) = (0.0, 0.0, 0.0)
        for group in sorted.map({ groups[$0] }) {
            if left > 0, left + group.width > limit {
                top += lowest + DiagramLayout.groupGap
                (left, lowest) = (0, 0)
            }
            for box in group.members.joined() {
                boxes[box].x += DiagramLayout.margin + left
                boxes[box].y += DiagramLayout.margin + top
            }
            lowest = max(lowest, group.height)
            width = max(width, left + group.width + 2 * DiagramLayout.margin)
            left += group.width + DiagramLayout.groupGap
        }
        height = top + lowest + 2 * DiagramLayout.margin
    }

    /// Returns the boxes by their distance from one of them.
    private func reach(from start: Int) -> [[Int]] {
        var layers = [[start]]
        var seen: Set<Int> = [start]
        while let last = layers.last {
            let next = Set(last.flatMap { neighbours[$0] }).subtracting(seen).sorted()
            if next.isEmpty { break }
            seen.formUnion(next)
            layers.append(next)
        }
        return layers
    }

    // MARK: - Within a group

    private mutating func arranged(_ members: [Int]) -> (members: [[Int]], width: Double, height: Double) {
        // The start with the best aspect ratio: neither too wide nor too tall.
        var layers: [[Int]] = []
        var least = Double.infinity
        for start in members.prefix(DiagramLayout.mostTrials) {
            let candidate = reach(from: start)
            let tallest = candidate.map(stackedHeight).max() ?? 0
            let extent = candidate.reduce(0) { $0 + widest($1) + DiagramLayout.columnGap }
            let cost = max(tallest * 1.3, extent)
            if cost < least { (layers, least) = (candidate, cost) }
        }
        for round in 0..<12 { order(&layers, leftToRight: round.isMultiple(of: 2)) }
        var left = 0.0
        for (column, layer) in layers.enumerated() {
            let width = widest(layer)
            for box in layer {
                columns[box] = column
                boxes[box].x = left + (width - boxes[box].width) / 2
            }
            left += width + gap(behind: column, layers)
        }
        stack(layers)
        let all = layers.joined()
        let (highest, lowest) = (all.map { boxes[$0].y }.min() ?? 0, all.map { boxes[$0].y + boxes[$0].height }.max() ?? 0)
        for box in layers.joined() { boxes[box].y -= highest }
        // Lines within the last column extend beyond it.
        let last = layers.last.map { layer in
            layer.contains { box in loops.contains(box) || neighbours[box].contains { columns[$0] == columns[box] } } ? 70.0 : 0
        }
        return (layers, left - gap(behind: layers.count - 1, layers) + (last ?? 0), lowest - highest)
    }

    private func stackedHeight(_ layer: [Int]) -> Double { layer.reduce(0) { $0 + boxes[$1].height + DiagramLayout.verticalGap } }
    private func widest(_ layer: [Int]) -> Double { layer.map { boxes[$0].width }.max() ?? 0 }

    /// Returns the gap after a column, which grows with the number of lines.
    private func gap(behind column: Int, _ layers: [[Int]]) -> Double {
        guard layers.indices.contains(column) else { return DiagramLayout.columnGap }
        let lines = layers[column].reduce(0) { $0 + neighbours[$1].count }
        return DiagramLayout.columnGap + Double(min(lines, 20)) * 4
    }

    /// Orders the boxes of each column by their neighbours in the column before, so that fewer lines cross.
    private func order(_ layers: inout [[Int]], leftToRight: Bool) {
        let sequence = leftToRight ? Array(layers.indices.dropFirst()) : Array(layers.indices.dropLast().reversed())
        for column in sequence {
            let other = layers[leftToRight ? column - 1 : column + 1]
            let positions = Dictionary(uniqueKeysWithValues: other.enumerated().map { ($1, Double($0) / Double(max(other.count - 1, 1))) })
            let own = layers[column]
            let targets = own.enumerated().map { index, box in
                let found = neighbours[box].compactMap { positions[$0] }
                return found.isEmpty ? Double(index) / Double(max(own.count - 1, 1)) : found.reduce(0, +) / Double(found.count)
            }
            layers[column] = own.indices.sorted { (targets[$0], $0) < (targets[$1], $1) }.map { own[$0] }
        }
    }

    /// Moves each box to the height of its neighbours as far as the order of its column allows.
    private mutating func stack(_ layers: [[Int]]) {
        for layer in layers {
            var top = -stackedHeight(layer) / 2
            for box in layer {
                boxes[box].y = top
                top += boxes[box].height + DiagramLayout.verticalGap
            }
        }
        for _ in 0..<6 {
            for layer in layers {
                let targets = layer.map { box in
                    let found = neighbours[box].filter { columns[$0] != columns[box] }.map { boxes[$0].centre }
                    let centre = found.isEmpty ? boxes[box].centre : found.reduce(0, +) / Double(found.count)
                    return centre - boxes[box].height / 2
                }
                resolveOverlaps(layer, targets)
            }
        }
    }

    /// Moves boxes to the positions nearest to the preferred ones without overlaps, neighbours together.
    private mutating func resolveOverlaps(_ layer: [Int], _ targets: [Double]) {
        var offsets: [Double] = []
        var offset = 0.0
        for box in layer {
            offsets.append(offset)
            offset += boxes[box].height + DiagramLayout.verticalGap
        }
        var blocks: [(sum: Double, count: Double)] = []
        for (target, offset) in zip(targets, offsets) {
            blocks.append((target - offset, 1))
            while let last = blocks.last, let before = blocks.dropLast().last, before.sum / before.count > last.sum / last.count {
                blocks.removeLast(2)
                blocks.append((before.sum + last.sum, before.count + last.count))
            }
        }
        var index = 0
        for block in blocks {
            for _ in 0..<Int(block.count) {
                boxes[layer[index]].y = block.sum / block.count + offsets[index]
                index += 1
            }
        }
    }
}
