import Testing

@testable import BenchReports
@testable import StrataBench

@Suite struct PageTests {
    private func report(_ seconds: [Double]) -> Report {
        var table = ReportTable(
            title: "<a&b>", steps: ["work"],
            participants: [result("base", ["work": seconds]), result("other", ["work": seconds.map { $0 * 3 }])])
        table.explanations["work"] = "do something"
        return Report(.events, title: "\"t\"", tables: [table])
    }

    @Test("The web page escapes what it is given and loads nothing")
    func page() {
        let page = HTMLReport(report: report([1])).text
        #expect(page.contains("&lt;a&amp;b&gt;"))
        #expect(!page.contains("<a&b>"))
        #expect(page.contains("<svg"))
        for outside in ["http://", "https://", "<script"] { #expect(!page.contains(outside)) }
    }

    @Test("The page says what a step does, how far runs lie apart, whom ratios are to and what took part")
    func explained() {
        let page = HTMLReport(report: report([1, 2, 4])).text
        #expect(page.contains("<b>work</b>: do something"))
        #expect(page.contains("<td>6.00 s <b>3.00×</b><br><small>3.00–12.0 s</small></td>"))
        #expect(page.contains("<th>other<br><small>× base</small></th>"))
        for library in ["Strata ", "Swift ", "SQLite 3.", "LMDB 0.", "libxml2 2.", "GRDB "] { #expect(page.contains(library)) }
    }

    @Test("A table that is wider than the page has a hint that it scrolls, which goes where there is room")
    func scrollHint() {
        let page = HTMLReport(report: report([1])).text
        #expect(page.contains("id=\"hint0\">The table scrolls sideways"))
        #expect(page.contains("@media (min-width: 382px) { #hint0 { display: none; } }"))
        let many = ReportTable(title: "", steps: ["work"], participants: (0..<11).map { result("\($0)", ["work": [1]]) })
        #expect(!HTMLReport(report: Report(.events, title: "", tables: [many])).text.contains("#hint0"))
    }

    @Test("The legend explains the lines of several runs")
    func legend() {
        let text = "from the shortest run to the longest"
        #expect(HTMLReport(report: report([1, 2, 4])).text.contains(text))
        #expect(!HTMLReport(report: report([1])).text.contains(text))
    }

    @Test("A line stands before each group of a table but the first")
    func groups() {
        let participants = [result("base", ["work": [1]]), result("own", to: "own", ["work": [1]]), result("copy", to: "own", [:])]
        let page = HTMLReport(
            report: Report(.events, title: "", tables: [ReportTable(title: "", steps: ["work"], participants: participants)])
        ).text
        #expect(page.contains("<td>1.0 s</td><td class=\"group\">1.0 s</td><td>–</td>"))
        #expect(page.contains("<th>base</th><th class=\"group\">own</th><th>copy<br>"))
    }

    @Test("Whether answers are equal stands under the step's name, in the column that stays in sight")
    func answers() {
        #expect(HTMLReport(report: report([1])).text.contains("<tr><th>work<br><small>✓ 1, 2 equal</small></th>"))
    }

    @Test("What was measured once has two digits and no spread")
    func once() {
        let page = HTMLReport(report: report([1.2345])).text
        #expect(page.contains("<td>1.2 s</td>"))
        #expect(page.contains("<td>3.7 s <b>3.0×</b></td>"))
    }

    @Test("A terminal shows how far runs lie apart where there is room")
    func terminal() {
        #expect(TerminalReport(report: report([1, 2, 4]), width: 200).text.contains("6.00 s (3.00–12.0 s)  3.00×"))
        let narrow = TerminalReport(report: report([1, 2, 4]), width: 40).text
        #expect(narrow.contains("6.00 s  3.00×"))
        #expect(!narrow.contains("3.00–12.0"))
    }

    @Test("Markdown has every row, peak memory and the ratios")
    func markdown() {
        let text = MarkdownReport(report: report([1, 2, 4])).text
        #expect(text.contains("| <a&b> | answers | base | other<br>× base |\n| --- | ---: | ---: | ---: |\n"))
        #expect(text.contains("| **work**: do something | 1, 2 equal | 2.00 s | 6.00 s<br>3.00× |"))
        #expect(text.contains("| **peak memory, reading** |  | 1.00 MB | 1.00 MB |"))
    }
}
