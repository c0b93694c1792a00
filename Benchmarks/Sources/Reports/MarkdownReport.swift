/// The report's tables in Markdown, for a page that others are read beside.
struct MarkdownReport {
    var report: Report

    var text: String {
        let facts = (report.facts + [report.measuring, "\(report.machine)"]).joined(separator: "; ") + "."
        let advice = report.advice.isEmpty ? [] : [Advice.title + ":", report.advice.map { "- \($0)" }.joined(separator: "\n")]
        return (report.summary + [facts] + report.tables.map(table) + counts + advice).joined(separator: "\n\n") + "\n"
    }

    private var counts: [String] {
        let tables = report.tables.compactMap(CountTable.init)
        return tables.isEmpty ? [] : ["\(CountTable.legend):"] + tables.map(counts)
    }

    private func counts(_ table: CountTable) -> String {
        let rows = table.rows.map { ["**\($0.step)**"] + $0.cells }
        return Self.lines([[table.title] + table.participants, ["---"] + table.participants.map { _ in "---:" }] + rows)
    }

    private static func lines(_ rows: [[String]]) -> String {
        rows.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }

    private func table(_ table: ReportTable) -> String {
        let names = table.participants.map { participant in
            participant.reference == participant.name ? participant.name : "\(participant.name)<br>× \(participant.reference)"
        }
        let rows = table.rows.map { row in
            ["**\(row.step)**" + (row.explanation.map { ": \($0)" } ?? ""), row.answers ?? ""] + row.cells.map(cell)
        }
        let sizes = table.sizes.map { title, bytes, digits in
            ["**\(title)**", ""] + bytes.map { Format.bytes($0, digits: digits) }
        }
        let head = [["\(table.title)", "answers"] + names, ["---", "---:"] + names.map { _ in "---:" }]
        return Self.lines(head + rows + sizes)
    }

    private func cell(_ cell: ReportRow.Cell) -> String {
        switch cell {
        case .none: "–"
        case .failed: "failed"
        case .measured(let time, _, let ratio): time + (ratio.map { "<br>\($0)" } ?? "")
        }
    }
}
