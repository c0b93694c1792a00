import StrataWorkload

/// The report as one web page that needs nothing else: tables, and a bar plot for each step.
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
        <p class="quiet">\(Self.escaped(machine))</p>
        \(legend)
        \(report.tables.map(section).joined(separator: "\n"))
        \(reaches)
        <ul class="quiet">\(report.notes.map { "<li>\(Self.escaped($0))</li>" }.joined())</ul>
        </body>
        </html>

        """
    }

    private var machine: String {
        let machine = report.machine
        return "\(machine.system), \(machine.processors) processors, \(Format.bytes(machine.memoryBytes)), "
            + "\(machine.build) build, \(machine.date); " + machine.versions.joined(separator: ", ")
    }

    private var legend: String {
        """
        <p class="legend"><span class="raw"></span>raw library <span class="peer"></span>other library
        <span class="strata"></span>Strata</p>
        """
    }

    private func section(_ table: ReportTable) -> String {
        // One base for all bars of a chart, whatever the table's ratios are to.
        let base = table.participants.first?.name ?? ""
        let plots = table.steps.map { step in
            let digits = Format.digits(ofRuns: table.runs(step))
            let isMeasured = table.participants.first?.steps[step]?.median != nil
            let bars = table.participants.compactMap { participant -> BarPlot.Bar? in
                guard let median = participant.steps[step]?.median else { return nil }
                let ratio = table.ratio(step, of: participant, to: base).map { " · " + Format.ratio($0, digits: digits) } ?? ""
                let label = Format.time(median, digits: digits) + ratio
                return BarPlot.Bar(name: participant.name, kind: participant.kind, value: median, label: label)
            }
            return BarPlot(title: isMeasured ? "\(step), × \(base)" : step, bars: bars).svg
        }
        let sizes = self.sizes(table).map { title, size in
            let bars = table.participants.filter { size($0) > 0 }.map {
                BarPlot.Bar(name: $0.name, kind: $0.kind, value: Double(size($0)), label: Format.bytes(size($0)))
            }
            return BarPlot(title: title, bars: bars).svg
        }
        return """
            <h2>\(Self.escaped(table.title))</h2>
            <div class="plots">
            \((plots + sizes).joined(separator: "\n"))
            </div>
            \(self.table(table))
            \(explanations(table))
            """
    }

    private func explanations(_ table: ReportTable) -> String {
        let lines = table.steps.compactMap { step in
            table.explanations[step].map { "<dt>\(Self.escaped(step))</dt><dd>\(Self.escaped($0))</dd>" }
        }
        return lines.isEmpty ? "" : "<dl class=\"quiet\">\(lines.joined())</dl>"
    }

    /// The sizes that were measured.
    private func sizes(_ table: ReportTable) -> [(title: String, size: (ParticipantResult) -> Int)] {
        let all: [(title: String, size: (ParticipantResult) -> Int)] = [
            ("peak memory", { $0.peak(table.steps) }), ("file size", { $0.fileBytes }),
        ]
        return all.filter { _, size in table.participants.contains { size($0) > 0 } }
    }

    private func table(_ table: ReportTable) -> String {
        let head = table.participants.map { "<th>\(Self.escaped($0.name))</th>" }.joined()
        let rows = table.steps.map { step in
            let digits = Format.digits(ofRuns: table.runs(step))
            let cells = table.participants.map { participant -> String in
                guard let result = participant.steps[step] else { return "<td>–</td>" }
                guard result.failure == nil, let median = result.median else {
                    return "<td class=\"bad\" title=\"\(Self.escaped(result.failure ?? ""))\">failed</td>"
                }
                let ratio = table.ratio(step, of: participant).map { " <small>\(Format.ratio($0, digits: digits))</small>" } ?? ""
                let spread = result.spread.map { spread in
                    "<br><small>\(Format.time(spread.lowerBound, digits: digits)) – \(Format.time(spread.upperBound, digits: digits))</small>"
                }
                return "<td>\(Format.time(median, digits: digits))\(ratio)\(spread ?? "")</td>"
            }
            let agreement = table.agreement(step)
            let rows = Format.count(table.answer(step)?.count ?? 0)
            let verdict = agreement.isEqual ? "<td>\(rows), equal</td>" : "<td class=\"bad\">\(rows), not equal</td>"
            return "<tr><th>\(Self.escaped(step))</th>\(verdict)\(cells.joined())</tr>"
        }
        let sizes = self.sizes(table).map { title, size in
            "<tr><th>\(title)</th><td></td>\(table.participants.map { "<td>\(Format.bytes(size($0)))</td>" }.joined())</tr>"
        }
        return """
            <div class="wide"><table>
            <tr><th></th><th>answers</th>\(head)</tr>
            \((rows + sizes).joined(separator: "\n"))
            </table></div>
            """
    }

    private var reaches: String {
        if report.reaches.isEmpty { return "" }
        let rows = report.reaches.map { reach in
            """
            <tr><th>\(Self.escaped(reach.participant))</th><th>\(Self.escaped(reach.work))</th><th>\(Self.escaped(reach.reference))</th>\
            <td>\(Format.ratio(reach.ratio))</td><td>≤ \(Format.ratio(reach.atMost))</td>\
            <td\(reach.isReached ? ">reached" : " class=\"bad\">missed")</td></tr>
            """
        }
        return """
            <h2>To reach</h2><div class="wide"><table>
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

    private static let style = """

        :root { --ink: #1d1d1f; --quiet: #6e6e73; --paper: #fff; --line: #d2d2d7; --raw: #8e8e93; --peer: #e08a00; --strata: #0a66c2; }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #f5f5f7; --quiet: #a1a1a6; --paper: #1c1c1e; --line: #3a3a3c; --raw: #8e8e93; --peer: #ff9f0a; --strata: #409cff; }
        }
        body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto; max-width: 1200px;
          padding: 0 1rem; }
        h1 { font-size: 1.8rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
        .quiet { color: var(--quiet); font-size: .85rem; }
        .plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(360px, 1fr)); gap: 1rem 1.5rem; }
        .wide { overflow-x: auto; margin-top: 1.5rem; }
        table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .85rem; }
        th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
        th:first-child { text-align: left; position: sticky; left: 0; background: var(--paper); } dt { font-weight: 600; } small { color: var(--quiet); } .bad { color: #d70015; font-weight: 600; }
        .legend span { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 .8em; border-radius: 2px; }
        .legend .raw { background: var(--raw); } .legend .peer { background: var(--peer); } .legend .strata { background: var(--strata); }
        svg { width: 100%; height: auto; } svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
        svg .title { font-weight: 600; font-size: 13px; } svg .label { fill: var(--quiet); }
        svg .raw { fill: var(--raw); } svg .peer { fill: var(--peer); } svg .strata { fill: var(--strata); }

        """
}
