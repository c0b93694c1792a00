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
        <style>\(Self.style)</style>
        </head>
        <body>
        <h1>\(Self.escaped(report.title))</h1>
        \(report.facts.map { "<p>\(Self.escaped($0))</p>" }.joined(separator: "\n"))
        <p class="quiet">\(Self.escaped("\(report.machine)"))</p>
        <p class="quiet">\(report.measuring)\(report.runs > 1 ? ", below each the shortest and the longest" : "");
        ratios to the participant in the heading</p>
        \(report.tables.map(section).joined(separator: "\n"))
        \(reaches)
        <ul class="quiet">\(report.notes.map { "<li>\(Self.escaped($0))</li>" }.joined())</ul>
        </body>
        </html>

        """
    }

    private func section(_ table: ReportTable) -> String {
        let charts = """
            <p class="legend"><span class="raw"></span>raw library <span class="peer"></span>other library
            <span class="strata"></span>Strata</p>
            <div class="plots">
            \(ReportCharts(table: table).figures.joined(separator: "\n"))
            </div>
            """
        // A growth is seen in the charts, and its table is long.
        let parts = table.growth == nil ? [self.table(table), charts] : [charts, self.table(table)]
        return "<h2>\(Self.escaped(table.title))</h2>\n" + parts.joined(separator: "\n")
    }

    private func table(_ table: ReportTable) -> String {
        let head = table.participants.map { participant in
            let reference = participant.reference == participant.name ? "" : "<br><small>× \(Self.escaped(participant.reference))</small>"
            return "<th>\(Self.escaped(participant.name))\(reference)</th>"
        }
        let rows = table.rows.map { row in
            let answers = row.answers.map { text in
                "<br><small\(row.isEqual ? ">✓" : " class=\"bad\">✗") \(Self.escaped(text))</small>"
            }
            return "<tr><th>\(Self.escaped(row.step))\(answers ?? "")</th>\(row.cells.map(cell).joined())</tr>"
        }
        let sizes = table.sizes.map { title, bytes, digits in
            "<tr><th>\(title)</th>\(bytes.map { "<td>\(Format.bytes($0, digits: digits))</td>" }.joined())</tr>"
        }
        return """
            <div class="wide"><table>
            <tr><th>step<br><small>rows of the answers</small></th>\(head.joined())</tr>
            \((rows + sizes).joined(separator: "\n"))
            </table></div>
            """
    }

    private func cell(_ cell: ReportRow.Cell) -> String {
        switch cell {
        case .none: "<td>–</td>"
        case .failed(let reason): "<td class=\"bad\" title=\"\(Self.escaped(reason))\">failed</td>"
        case .measured(let time, let spread, let ratio):
            "<td>\(time)\(ratio.map { " <b>\(Self.escaped($0))</b>" } ?? "")\(spread.map { "<br><small>\($0)</small>" } ?? "")</td>"
        }
    }

    private var reaches: String {
        if report.reaches.isEmpty { return "" }
        let rows = report.reaches.map { reach in
            let names = [reach.participant, reach.work, reach.reference].map { "<th>\(Self.escaped($0))</th>" }
            let cells = reach.cells.enumerated().map { place, text in
                "<td\(place == 2 && !reach.isReached ? " class=\"bad\"" : "")>\(Self.escaped(text))</td>"
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
