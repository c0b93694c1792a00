/// The charts of a table, each with a caption that says what is done, and what its ratios are to.
struct ReportCharts {
    var table: ReportTable

    /// HTML elements under headings: the steps by what they do, then the sizes.
    var sections: [(title: String, figures: [String])] {
        let steps = table.growth.map { [("Growth", lines($0))] } ?? table.kinds.map { ($0.title, $0.steps.map(bars)) }
        return (steps + [("Memory and files", sizes)]).filter { !$0.1.isEmpty }
    }

    /// All figures.
    var figures: [String] { sections.flatMap(\.figures) }

    private func bars(_ step: String) -> String {
        let digits = Format.digits(ofRuns: table.runs(step))
        let groups = groups { participant, group in
            guard let result = participant.steps[step], let median = result.median else { return nil }
            let ratio = participant.name == group ? nil : table.ratio(step, of: participant)
            let label = [Format.time(median, digits: digits)] + (ratio.map { [Format.ratio($0, digits: digits)] } ?? [])
            return BarPlot.Bar(
                name: participant.name, kind: participant.kind, value: median, spread: result.spread, label: label.joined(separator: " · "))
        }
        var plot = BarPlot(title: step, groups: groups) { Format.time($0, digits: 1) }
        var facts: [String] = []
        // One base needs no line of its own.
        if groups.count == 1 {
            facts = groups.compactMap(\.title)
            plot.groups[0].title = nil
        }
        if plot.axis.isLogarithmic { facts.append("logarithmic") }
        return figure(step, table.explanations[step], facts, plot.svg)
    }

    /// The participants of the table in their groups, without those that have no bar.
    private func groups(_ bar: (ParticipantResult, _ reference: String) -> BarPlot.Bar?) -> [BarPlot.Group] {
        table.groups.compactMap { reference, participants in
            let bars = participants.compactMap { bar($0, reference) }
            return bars.isEmpty ? nil : BarPlot.Group(title: "× \(reference)", bars: bars)
        }
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
            let sizes = Dictionary(uniqueKeysWithValues: zip(table.participants.map(\.name), bytes))
            var groups = groups { participant, _ in
                guard let bytes = sizes[participant.name], bytes > 0 else { return nil }
                let label = Format.bytes(bytes, digits: digits)
                return BarPlot.Bar(name: participant.name, kind: participant.kind, value: Double(bytes), label: label)
            }
            // No ratios stand here.
            for index in groups.indices { groups[index].title = nil }
            let plot = BarPlot(title: title, groups: groups) { Format.bytes(Int($0), digits: 1) }
            return figure(title, nil, plot.axis.isLogarithmic ? ["logarithmic"] : [], plot.svg)
        }
    }

    private func figure(_ title: String, _ explanation: String?, _ facts: [String], _ svg: String) -> String {
        let caption = explanation.map { ": " + HTMLReport.escaped($0) } ?? ""
        let facts = facts.isEmpty ? "" : " <small>\(HTMLReport.escaped("(" + facts.joined(separator: ", ") + ")"))</small>"
        return "<figure><figcaption><b>\(HTMLReport.escaped(title))</b>\(caption)\(facts)</figcaption>\n\(svg)</figure>"
    }
}
