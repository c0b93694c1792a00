/// The difference of two texts in the unified format.
public enum UnifiedDiff {
    /// Returns the difference, with three lines of context; empty if there is none.
    ///
    /// - Parameters:
    ///   - old: The old text.
    ///   - new: The new text.
    ///   - path: The path of the file in the header.
    public static func text(from old: String, to new: String, path: String) -> String {
        guard old != new else { return "" }
        let (before, after) = (lines(old), lines(new))
        let steps = steps(before, after)
        var hunks = ""
        var index = 0
        while let first = steps[index...].firstIndex(where: { $0.mark != " " }) {
            let start = max(index, first - 3)
            // Changes with at most six lines between them share a hunk.
            var end = first
            var next: Int? = first
            while let change = next, change - end <= 7 {
                end = change
                next = steps[(change + 1)...].firstIndex { $0.mark != " " }
            }
            let stop = min(steps.count, end + 4)
            hunks += hunk(steps[start..<stop])
            index = stop
        }
        return "--- a/\(path)\n+++ b/\(path)\n" + hunks
    }

    /// A line with its mark, a space, a minus or a plus sign, and the numbers of the lines before it.
    private struct Step {
        var mark: Character
        var line: Substring
        var before: Int
        var after: Int
    }

    private static func lines(_ text: String) -> [Substring] {
        // By bytes: a Windows line end is one character.
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) }
        if lines.last?.isEmpty == true { lines.removeLast() } else { lines.append("\\ No newline at end of file") }
        return lines
    }

    private static func steps(_ before: [Substring], _ after: [Substring]) -> [Step] {
        let difference = after.difference(from: before)
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for case .remove(let offset, _, _) in difference { removed.insert(offset) }
        for case .insert(let offset, _, _) in difference { inserted.insert(offset) }
        var steps: [Step] = []
        var (old, new) = (0, 0)
        while old < before.count || new < after.count {
            let mark: Character = removed.contains(old) ? "-" : inserted.contains(new) ? "+" : " "
            steps.append(Step(mark: mark, line: mark == "+" ? after[new] : before[old], before: old, after: new))
            if mark != "+" { old += 1 }
            if mark != "-" { new += 1 }
        }
        return steps
    }

    private static func hunk(_ steps: ArraySlice<Step>) -> String {
        guard let first = steps.first else { return "" }
        let isLine = { (step: Step) in !step.line.hasPrefix("\\ No newline") }
        let old = steps.filter { $0.mark != "+" && isLine($0) }.count
        let new = steps.filter { $0.mark != "-" && isLine($0) }.count
        let lines = steps.map { isLine($0) ? "\($0.mark)\($0.line)\n" : "\($0.line)\n" }
        return "@@ -\(range(first.before, old)) +\(range(first.after, new)) @@\n" + lines.joined()
    }

    private static func range(_ before: Int, _ count: Int) -> String { "\(count == 0 ? before : before + 1),\(count)" }
}
