import Foundation
import StrataWorkload

/// The report as text: a row for each step, a column for each participant.
struct TerminalReport {
    var report: Report
    /// How many characters a line has room for; where a table needs more, it leaves out how far the runs lie apart.
    var width = Self.terminalWidth

    var text: String {
        var parts = [
            report.title, report.summary.joined(separator: "\n"), report.facts.joined(separator: "\n"), report.measuring,
            report.machine.versions.joined(separator: ", "),
        ]
        parts += report.tables.map(table)
        parts += report.tables.compactMap(CountTable.init).map(counts)
        if !report.reaches.isEmpty { parts.append(reaches) }
        parts.append(report.notes.map { "· " + $0 }.joined(separator: "\n"))
        if !report.advice.isEmpty { parts.append(([Advice.title + ":"] + report.advice.map { "· \($0)" }).joined(separator: "\n")) }
        parts.append(failures)
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private func counts(_ table: CountTable) -> String {
        let rows = table.rows.map { [$0.step] + $0.cells }
        return "\(CountTable.legend):\n\n" + Self.render([table.title] + table.participants, rows)
    }

    private func table(_ table: ReportTable) -> String {
        let whole = self.table(table, withSpread: true)
        let isTooWide = whole.prefix { !$0.isNewline }.count > width
        return isTooWide ? self.table(table, withSpread: false) : whole
    }

    private func table(_ table: ReportTable, withSpread: Bool) -> String {
        let rows = table.rows.map { row in [row.step] + row.cells.map { Self.cell($0, withSpread: withSpread) } + [row.answers ?? ""] }
        let sizes = table.sizes.map { title, bytes, digits in [title] + bytes.map { Format.bytes($0, digits: digits) } }
        return Self.render([table.title] + table.participants.map(\.name) + ["answers"], rows + sizes)
    }

    static func cell(_ cell: ReportRow.Cell, withSpread: Bool) -> String {
        switch cell {
        case .none: "–"
        case .failed: "failed"
        case .measured(let time, let spread, let ratio):
            time + (withSpread ? spread.map { " (\($0))" } ?? "" : "") + (ratio.map { " " + padded($0, 6) } ?? "")
        }
    }

    private var reaches: String {
        let rows = report.reaches.map { [$0.participant, $0.work, $0.reference] + $0.cells }
        return Self.render(["To reach", "work", "measured against", "ratio", "reach", ""], rows, leftColumns: 3)
    }

    private var failures: String {
        var lines: [String] = []
        for table in report.tables {
            for step in table.steps where !table.agreement(step).isEqual {
                for participant in table.participants {
                    guard let result = participant.steps[step] else { continue }
                    if let failure = result.failure { lines.append("\(participant.name), \(step): \(failure)") }
                    if let answer = result.answer {
                        lines.append("\(participant.name), \(step): \(answer.count) rows, checksum \(String(answer.checksum, radix: 16))")
                    }
                }
            }
        }
        return lines.joined(separator: "\n")
    }

    /// That of the terminal, or what pagers and logs show without wrapping.
    private static var terminalWidth: Int {
        var size = winsize()
        return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 160
    }

    /// A text with spaces before it, or behind it where the width is negative.
    static func padded(_ text: String, _ width: Int) -> String {
        let spaces = String(repeating: " ", count: max(0, abs(width) - text.count))
        return width < 0 ? text + spaces : spaces + text
    }

    /// Returns a table with a line under its headings, each column as wide as its widest cell.
    private static func render(_ headings: [String], _ rows: [[String]], leftColumns: Int = 1) -> String {
        let rows = rows.map { row in headings.indices.map { $0 < row.count ? row[$0] : "" } }
        let widths = headings.indices.map { column in ([headings] + rows).map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            let padded = cells.enumerated().map { column, cell in
                Self.padded(cell, column < leftColumns ? -widths[column] : widths[column])
            }
            return " " + padded.joined(separator: " | ")
        }
        let rule = widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "+")
        return ([line(headings), rule] + rows.map(line)).joined(separator: "\n")
    }
}
