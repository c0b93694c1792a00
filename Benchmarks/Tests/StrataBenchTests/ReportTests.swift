import Foundation
import StrataWorkload
import Testing

@testable import StrataBench

@Suite struct ReportTests {
    private func result(_ name: String, _ seconds: [Double], _ answer: Answer) -> ParticipantResult {
        var result = ParticipantResult(name: name, kind: .raw, reference: "base")
        for time in seconds {
            result.add(Sample(step: "work", seconds: time, peakBytes: 1, keptBytes: 0, answer: answer, failure: nil))
        }
        return result
    }

    @Test("A ratio is median to median")
    func ratio() throws {
        let base = result("base", [1, 9, 2], Answer(count: 1))
        let other = result("other", [3, 5], Answer(count: 1))
        let table = ReportTable(title: "", steps: ["work"], participants: [base, other])
        #expect(table.ratio("work", of: other) == 2)
        #expect(table.ratio("work", of: base) == 1)
        #expect(table.isSound)
    }

    @Test("An answer that differs makes the report unsound, and the text says so")
    func differingAnswers() {
        let table = ReportTable(
            title: "t",
            steps: ["work"],
            participants: [result("base", [1], Answer(count: 1)), result("other", [1], Answer(count: 1, checksum: 5))]
        )
        let report = Report(title: "t", facts: [], notes: [], tables: [table])
        #expect(!report.isSound)
        #expect(TerminalReport(report: report).text.contains("NOT EQUAL"))
        #expect(HTMLReport(report: report).text.contains("not equal"))
    }

    @Test("A step that failed, or whose process ended early, makes the report unsound")
    func failures() {
        var failed = result("base", [1], Answer(count: 1))
        failed.fail(["work", "more"], "killed")
        let table = ReportTable(title: "t", steps: ["work", "more"], participants: [failed])
        #expect(table.agreement("work").isEqual)
        #expect(!table.agreement("more").isEqual)
    }

    @Test("Answers that change from run to run are a failure")
    func unstable() {
        var result = result("base", [1], Answer(count: 1))
        result.add(Sample(step: "work", seconds: 1, peakBytes: 1, keptBytes: 0, answer: Answer(count: 2), failure: nil))
        #expect(result.steps["work"]?.failure != nil)
    }

    @Test("The web page escapes what it is given and loads nothing")
    func page() {
        let table = ReportTable(title: "<a&b>", steps: ["work"], participants: [result("base", [1], Answer(count: 1))])
        let page = HTMLReport(report: Report(title: "\"t\"", facts: [], notes: [], tables: [table])).text
        #expect(page.contains("&lt;a&amp;b&gt;"))
        #expect(!page.contains("<a&b>"))
        #expect(page.contains("<svg"))
        #expect(!page.contains("http://"))
        #expect(!page.contains("https://"))
        #expect(!page.contains("<script"))
    }

    @Test("Reading steps share a process only where opening loads the file")
    func schedule() {
        let steps: [ArchiveStep] = [.importing, .open, .counts, .text, .update, .delete, .verify]
        #expect(Schedule.groups(steps, .perStep).count == 7)
        #expect(Schedule.groups(steps, .whole) == [["import", "count", "text", "update", "delete", "verify"]])
        #expect(
            Schedule.groups(steps, .perPhase) == [["import"], ["cold open", "count", "text"], ["update"], ["delete"], ["verify"]]
        )
    }

    @Test("What was measured once prints with two digits, and no ratio as nothing")
    func digits() {
        #expect(Format.time(1.2345, digits: 2) == "1.2 s")
        #expect(Format.time(0.1264, digits: 2) == "130 ms")
        #expect(Format.time(0.00126, digits: 2) == "1.3 ms")
        #expect(Format.ratio(1.254, digits: 2) == "1.3×")
        #expect(Format.ratio(12.54, digits: 2) == "13×")
        #expect(Format.ratio(0.254, digits: 2) == "0.25×")
        #expect(Format.ratio(0.004) == "<0.01×")
        let once = ReportTable(title: "", steps: ["work"], participants: [result("base", [1.2345], Answer(count: 1))])
        #expect(HTMLReport(report: Report(title: "", facts: [], notes: [], tables: [once])).text.contains("1.2 s"))
    }

    @Test("The page says what a chart's ratios are to, how far runs lie apart, and what a step does")
    func explained() {
        var table = ReportTable(
            title: "t", steps: ["work"],
            participants: [result("base", [1, 2, 4], Answer(count: 1)), result("other", [300, 400, 500], Answer(count: 1))])
        table.explanations["work"] = "do something"
        let page = HTMLReport(report: Report(title: "t", facts: [], notes: [], tables: [table])).text
        #expect(page.contains("work, × base, logarithmic"))
        #expect(page.contains("1.00 s – 4.00 s"))
        #expect(page.contains("<dd>do something</dd>"))
        #expect(page.contains("SQLite 3."))
    }

    @Test("Numbers print with three digits and a unit")
    func format() {
        #expect(Format.time(0.0000123) == "12 µs")
        #expect(Format.time(0.0123) == "12.3 ms")
        #expect(Format.time(12.34) == "12.3 s")
        #expect(Format.ratio(1.254) == "1.25×")
        #expect(Format.bytes(23_400_000) == "23 MB")
        #expect(Format.count(1_234_567) == "1,234,567")
    }

    @Test("A reach is judged only where both participants took part")
    func reach() {
        var own = ParticipantResult(name: "Strata SQLite", kind: .strata, reference: "raw SQLite")
        own.add(Sample(step: "fetch all", seconds: 1.2, peakBytes: 1, keptBytes: 0, answer: nil, failure: nil))
        var raw = ParticipantResult(name: "raw SQLite", kind: .raw, reference: "raw SQLite")
        raw.add(Sample(step: "fetch all", seconds: 1, peakBytes: 1, keptBytes: 0, answer: nil, failure: nil))
        let both = Reach.results([ReportTable(title: "", steps: [], participants: [own, raw])], count: 10)
        #expect(both.map(\.isReached) == [true])
        #expect(Reach.results([ReportTable(title: "", steps: [], participants: [own])], count: 10).isEmpty)
    }
}
