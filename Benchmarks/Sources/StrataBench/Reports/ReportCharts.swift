/// The charts of a table, each with a caption that says what is done, and what its ratios are to.
struct ReportCharts {
    var table: ReportTable

    /// HTML elements.
    var figures: [String] { (table.growth.map(lines) ?? table.steps.map(bars)) + sizes }

    private func bars(_ step: String) -> String {
        let digits = Format.digits(ofRuns: table.runs(step))
        let base = table.base(step)?.name
        let bars = table.participants.compactMap { participant -> BarPlot.Bar? in
            guard let median = participant.steps[step]?.median else { return nil }
            let ratio = base.flatMap { table.ratio(step, of: participant, to: $0) }
            let label = [Format.time(median, digits: digits)] + (ratio.map { [Format.ratio($0, digits: digits)] } ?? [])
            return BarPlot.Bar(name: participant.name, kind: participant.kind, value: median, label: label.joined(separator: " · "))
        }
        let plot = BarPlot(title: step, bars: bars) { Format.time($0, digits: 1) }
        let facts = [base.map { "× \($0)" }, plot.axis.isLogarithmic ? "logarithmic" : nil].compactMap { $0 }
        return figure(step, table.explanations[step], facts, plot.svg)
    }

    private func lines(_ growth: Growth) -> [String] {
        growth.steps.map { step in
            let lines = table.participants.compactMap { participant -> LinePlot.Line? in
                let points = growth.counts.compactMap { count in
                    participant.steps[Growth.row(step, count)]?.median.map { (count: count, value: $0) }
                }
                let factor = growth.factor(step, of: participant).map { " " + Format.ratio($0, digits: 2) } ?? ""
                return points.isEmpty ? nil : LinePlot.Line(name: participant.name + factor, kind: participant.kind, points: points)
            }
            let plot = LinePlot(title: "\(step), per object", lines: lines) { $0 > 0 ? Format.time($0, digits: 2) : "0" }
            let fewest = growth.counts.first ?? 0
            let explanation = table.explanations[Growth.row(step, fewest)]
            let axes = plot.axis.isLogarithmic ? "both axes logarithmic" : "counts logarithmic"
            let facts = ["per object, × its cost at \(Format.count(fewest))", axes]
            return figure(step, explanation, facts, plot.svg)
        }
    }

    private var sizes: [String] {
        table.sizes.map { title, bytes, digits in
            let bars = zip(table.participants, bytes).filter { $1 > 0 }.map {
                BarPlot.Bar(name: $0.name, kind: $0.kind, value: Double($1), label: Format.bytes($1, digits: digits))
            }
            let plot = BarPlot(title: title, bars: bars) { Format.bytes(Int($0), digits: 1) }
            return figure(title, nil, plot.axis.isLogarithmic ? ["logarithmic"] : [], plot.svg)
        }
    }

    private func figure(_ title: String, _ explanation: String?, _ facts: [String], _ svg: String) -> String {
        let caption = explanation.map { ": " + HTMLReport.escaped($0) } ?? ""
        let facts = facts.isEmpty ? "" : " <small>\(HTMLReport.escaped("(" + facts.joined(separator: ", ") + ")"))</small>"
        return "<figure><figcaption><b>\(HTMLReport.escaped(title))</b>\(caption)\(facts)</figcaption>\n\(svg)</figure>"
    }
}
