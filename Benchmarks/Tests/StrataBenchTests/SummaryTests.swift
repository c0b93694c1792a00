import StrataWorkload
import Testing

@testable import BenchPeers
@testable import BenchReports
@testable import StrataBench

@Suite struct SummaryTests {
    private func table(_ participants: [ParticipantResult]) -> ReportTable {
        ReportTable(title: "t", steps: ["a", "b", "c", "d"], participants: participants)
    }

    private let base = result("base", ["a": [1], "b": [1], "c": [1], "d": [1]])
    private let peer = result("peer", kind: .peer, ["a": [8], "b": [2], "c": [1], "d": [0.5]])

    @Test("The sentence says who is faster at how many steps, whom it loses to where, and who is fastest of all")
    func sentence() {
        let own = result("own", kind: .strata, ["a": [2], "b": [2], "c": [2], "d": [0.25]])
        #expect(
            table([base, own, peer]).summary
                == "own is faster than peer at 2 of 4 steps (1.4× as fast in the geometric mean; about equal at b; slower at c); "
                + "base is faster than own at 3 of 4 steps (1.2× as fast in the geometric mean; slower at d); "
                + "fastest of all: base at a, b, c, own at d.")
    }

    @Test("A difference within the tolerance is no win of either")
    func level() {
        let own = result("own", kind: .strata, ["a": [1.04], "b": [0.96], "c": [1.06], "d": [0.94]])
        let comparison = Comparison(own, with: base, ["a", "b", "c", "d"])
        #expect(comparison?.level == ["a", "b"])
        #expect(comparison?.slower == ["c"])
        #expect(comparison?.faster == ["d"])
    }

    /// The sentence gave the factor of the one that wins at more steps, also where it was below 1.
    @Test("Who wins at more steps and loses more at the others is called slower in the mean")
    func fewGreatLosses() {
        let own = result("own", kind: .strata, ["a": [0.5], "b": [0.5], "c": [0.5], "d": [8_000]])
        #expect(
            table([base, own]).summary
                == "own is faster than base at 3 of 4 steps (but 5.6× as slow in the geometric mean; slower at d).")
    }

    @Test("Times below a millisecond are compared, but have no share in the mean")
    func short() {
        let own = result("own", kind: .strata, ["a": [0.000_1], "b": [0.5]])
        #expect(Comparison(own, with: base, ["a", "b"])?.mean == 2)
        #expect(Comparison(own, with: base, ["a"])?.mean == nil)
        #expect(table([base, result("own", kind: .strata, ["a": [0.000_1]])]).summary == "own is faster than base at 1 of 1 steps.")
    }

    @Test("Only steps that both did are compared, and nothing where there is none")
    func common() {
        let own = result("own", kind: .strata, ["a": [0.5]])
        #expect(Comparison(own, with: base, ["a", "b"])?.count == 1)
        #expect(Comparison(own, with: result("other", ["b": [1]]), ["a", "b"]) == nil)
        #expect(table([own]).summary == nil)
        #expect(table([base, own]).summary == "own is faster than base at 1 of 1 steps (2.0× as fast in the geometric mean).")
    }

    @Test("A raw engine that another participant's ratios are to is not compared with it")
    func otherEngine() throws {
        let own = result("own", kind: .strata, ["a": [1]])
        let summary = try #require(table([base, own, result("other engine", to: "other engine", ["a": [0.5]])]).summary)
        #expect(!summary.contains("than other engine"))
        #expect(!summary.contains("other engine is faster"))
        #expect(summary.hasSuffix("fastest of all: base at b, c, d, other engine at a.") || summary.hasSuffix("other engine at a."))
    }

    @Test("Every form of the report begins with the sentence, after its table's title where there are several tables")
    func forms() throws {
        let own = result("own", kind: .strata, ["a": [2], "b": [2], "c": [2], "d": [2]])
        let report = Report(.events, title: "title", tables: [table([base, own])])
        let sentence = try #require(report.summary.first)
        #expect(TerminalReport(report: report).text.hasPrefix("title\n\n\(sentence)\n"))
        #expect(MarkdownReport(report: report).text.hasPrefix(sentence + "\n"))
        #expect(HTMLReport(report: report).text.contains("<h1>title</h1>\n<p class=\"summary\">\(sentence)</p>"))
        #expect(Report(.events, title: "", tables: [table([base, own]), table([base, own])]).summary.first == "t: " + sentence)
    }

    @Test("Advice is given on those that took part, by what was measured of them")
    func advice() throws {
        var sqlite = result(SQLiteChoice.name, kind: .strata, ["import": [2], "by key": [0.02]])
        sqlite.fileBytes = 46_400_000
        let table = ReportTable(
            title: "", steps: ArchiveStep.allCases, participants: [sqlite, result(ArchivePeers.rawSQLite.name, ["import": [1]])])
        let report = Report(.archive, title: "", tables: [table])
        #expect(report.advice.map(\.participant) == [ArchivePeers.rawSQLite.name, SQLiteChoice.name])
        let last = try #require(report.advice.last)
        #expect(last.figures == ["import 2.0 s", "by key 20 ms", "peak memory, writing 1.0 MB", "file 46.4 MB"])
        for text in [TerminalReport(report: report).text, MarkdownReport(report: report).text] { #expect(text.contains("\(last)")) }
        #expect(HTMLReport(report: report).text.contains("<li>Choose <b>Strata SQLite</b> if \(last.condition)<br><small>import 2.0 s · "))
        #expect(Report(.events, title: "", tables: [table]).advice.isEmpty)
    }

    @Test("The last piece of advice has no condition that another one excludes, so that it always applies")
    func lastAdvice() {
        let participants = Registry.archive.map { result($0.name, kind: $0.kind, ["import": [1]]) }
        let advice = Advice.given(Advice.list, ReportTable(title: "", steps: ArchiveStep.allCases, participants: participants))
        #expect(advice.last?.condition.hasPrefix("none of these applies") == true)
        let others = participants.map(\.name).filter { name in !advice.contains { $0.participant == name } }
        #expect(Set(others).isSubset(of: [ArchivePeers.rawLMDB.name, ArchivePeers.deferredSQLite.name, ServerParticipant.raw]))
    }
}
