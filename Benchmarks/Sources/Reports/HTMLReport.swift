/// The report as one web page that needs nothing else: tables, and a plot for each step.
struct HTMLReport {
    var report: Report

    var text: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(Self.escaped(report.title)) – Strata benchmarks</title>
        <style>\(Self.style)\(report.tables.enumerated().map(hint).joined(separator: "\n"))</style>
        </head>
        <body>
        <h1>\(Self.escaped(report.title))</h1>
        \(report.summary.map { "<p class=\"summary\">\(Self.escaped($0))</p>" }.joined(separator: "\n"))
        \(report.facts.map { "<p>\(Self.escaped($0))</p>" }.joined(separator: "\n"))
        <p class="quiet">\(Self.escaped("\(report.machine)"))</p>
        <p class="quiet">\(report.measuring)\(report.runs > 1 ? ", below each the shortest and the longest" : "");
        ratios to the participant in the heading</p>
        \(report.tables.enumerated().map(section).joined(separator: "\n"))
        \(advice)
        \(reaches)
        <ul class="quiet">\(report.notes.map { "<li>\(Self.escaped($0))</li>" }.joined())</ul>
        </body>
        </html>

        """
    }

    /// Hides the hint at a table from where the page is wide enough for it; a page grows to 1,200 pixels.
    private func hint(_ index: Int, _ table: ReportTable) -> String {
        // With the margins, by what columns take in the fonts of browsers.
        let width = 172 + table.participants.count * 105
        return width > 1_200 ? "" : "@media (min-width: \(width)px) { #hint\(index) { display: none; } }"
    }

    private func section(_ index: Int, _ table: ReportTable) -> String {
        let sections = ReportCharts(table: table).sections.map { title, figures in
            "<h3>\(title)</h3>\n<div class=\"plots\">\n\(figures.joined(separator: "\n"))\n</div>"
        }
        let hasSpread = table.steps.contains { table.runs($0) > 1 } && table.growth == nil
        let spread = hasSpread ? " <span><i class=\"spread\"></i>from the shortest run to the longest</span>" : ""
        let charts = """
            <p class="legend"><span><i class="raw"></i>raw library</span> <span><i class="peer"></i>other library</span>
            <span><i class="strata"></i>Strata</span>\(spread)</p>
            \(sections.joined(separator: "\n"))
            """
        let rows = "<p class=\"hint\" id=\"hint\(index)\">The table scrolls sideways →</p>\n" + self.table(table)
        // A growth is seen in the charts, and its table is long.
        let parts = table.growth == nil ? [rows, charts] : [charts, rows]
        return "<h2>\(Self.escaped(table.title))</h2>\n"
            + (parts + [CountTable(table).map(counts)].compactMap(\.self)).joined(separator: "\n")
    }

    private func counts(_ table: CountTable) -> String {
        let head = table.participants.map { "<th>\(Self.escaped($0))</th>" }
        let rows = table.rows.map { row in "<tr><th>\(Self.escaped(row.step))</th>\(row.cells.map { "<td>\($0)</td>" }.joined())</tr>" }
        return """
            <h3>References and allocations</h3><p>\(CountTable.legend)</p>
            <div class="wide" tabindex="0" role="region" aria-label="\(Self.escaped(table.title)), counts"><table>
            <tr><th>step</th>\(head.joined())</tr>
            \(rows.joined(separator: "\n"))
            </table></div>
            """
    }

    private func table(_ table: ReportTable) -> String {
        // A line stands before each group but the first.
        let starts = table.groups.dropLast().reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.participants.count) }.dropFirst()
        func style(_ column: Int, _ others: String = "") -> String {
            let styles = (starts.contains(column) ? ["group"] : []) + (others.isEmpty ? [] : [others])
            return styles.isEmpty ? "" : " class=\"\(styles.joined(separator: " "))\""
        }
        let head = table.participants.enumerated().map { column, participant in
            let reference = participant.reference == participant.name ? "" : "<br><small>× \(Self.escaped(participant.reference))</small>"
            return "<th\(style(column))>\(Self.escaped(participant.name))\(reference)</th>"
        }
        let rows = table.rows.map { row in
            let answers = row.answers.map { text in
                "<br><small\(row.isEqual ? ">✓" : " class=\"bad\">✗") \(Self.escaped(text))</small>"
            }
            return
                "<tr><th>\(Self.escaped(row.step))\(answers ?? "")</th>\(row.cells.enumerated().map { column, value in cell(value) { style(column, $0) } }.joined())</tr>"
        }
        let sizes = table.sizes.map { title, bytes, digits in
            "<tr><th>\(title)</th>\(bytes.enumerated().map { "<td\(style($0))>\(Format.bytes($1, digits: digits))</td>" }.joined())</tr>"
        }
        return """
            <div class="wide" tabindex="0" role="region" aria-label="\(Self.escaped(table.title))"><table>
            <tr><th>step<br><small>rows of the answers</small></th>\(head.joined())</tr>
            \((rows + sizes).joined(separator: "\n"))
            </table></div>
            """
    }

    private func cell(_ cell: ReportRow.Cell, _ style: (_ others: String) -> String) -> String {
        switch cell {
        case .none: return "<td\(style(""))>–</td>"
        case .failed(let reason): return "<td\(style("bad")) title=\"\(Self.escaped(reason))\">failed</td>"
        case .measured(let time, let spread, let ratio):
            let spread = spread.map { "<br><small>\($0)</small>" } ?? ""
            return "<td\(style(""))>\(time)\(ratio.map { " <b>\(Self.escaped($0))</b>" } ?? "")\(spread)</td>"
        }
    }

    private var advice: String {
        if report.advice.isEmpty { return "" }
        let lines = report.advice.map { advice in
            let figures = advice.figures.isEmpty ? "" : "<br><small>\(Self.escaped(advice.figures.joined(separator: " · ")))</small>"
            return "<li>Choose <b>\(Self.escaped(advice.participant))</b> if \(Self.escaped(advice.condition))\(figures)</li>"
        }
        return "<h2>\(Advice.title)</h2>\n<ol class=\"advice\">\n\(lines.joined(separator: "\n"))\n</ol>"
    }

    private var reaches: String {
        if report.reaches.isEmpty { return "" }
        let rows = report.reaches.map { reach in
            let names = [reach.participant, reach.work, reach.reference].map { "<th>\(Self.escaped($0))</th>" }
            let cells = reach.cells.enumerated().map { place, text in
                "<td\(place == 2 && reach.isReached == false ? " class=\"bad\"" : "")>\(Self.escaped(text))</td>"
            }
            return "<tr>\((names + cells).joined())</tr>"
        }
        return """
            <h2>To reach</h2><div class="wide"><table class="reaches">
            <tr><th></th><th>work</th><th>measured against</th><th>ratio</th><th>reach</th><th></th></tr>
            \(rows.joined(separator: "\n"))
            </table></div>
            """
    }

    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
