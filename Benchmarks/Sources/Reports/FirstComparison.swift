/// The table of those that are measured first, written a row at a time while the others are still to be measured.
package struct FirstComparison {
    /// The participants that are compared.
    package let names: [String]

    package init(names: [String]) { self.names = names }

    /// What stands above the rows; `nil` where there is nothing to compare.
    package var heading: String? {
        if names.count < 2 { return nil }
        let title = "First comparison, each step in one run; ratios to \(names[0]):"
        let line = line(["step"] + names)
        return [title, "", line, String(repeating: "-", count: line.count + 1)].joined(separator: "\n")
    }

    /// A line for each of the steps, out of what the participants did so far.
    package func lines(_ steps: [String], _ results: [ParticipantResult]) -> [String] {
        ReportTable(title: "", steps: steps, participants: results).rows.map { row in
            line([row.step] + row.cells.map { TerminalReport.cell($0, withSpread: false) })
        }
    }

    private func line(_ cells: [String]) -> String {
        // As wide as the longest step and the longest cell: what comes later is not known yet.
        let first = TerminalReport.padded(cells[0], -16)
        return " " + ([first] + cells.dropFirst().map { TerminalReport.padded($0, 15) }).joined(separator: " | ")
    }
}
