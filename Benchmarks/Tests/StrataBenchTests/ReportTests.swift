import StrataWorkload
import Testing

@testable import BenchReports
@testable import StrataBench

@Suite struct ReportTests {
    @Test("A ratio is median to median")
    func ratio() throws {
        let base = result("base", ["work": [1, 9, 2]])
        let other = result("other", ["work": [3, 5]])
        let table = ReportTable(title: "", steps: ["work"], participants: [base, other])
        #expect(table.ratio("work", of: other) == 2)
        #expect(table.ratio("work", of: base) == 1)
        #expect(table.isSound)
    }

    @Test("A time below a millisecond has no ratio, and what an object costs has one", arguments: [[0.000_9, 2], [2, 0.000_9]])
    func shortTimes(_ times: [Double]) {
        let base = result("base", ["work": [times[0]]])
        let other = result("other", ["work": [times[1]]])
        var table = ReportTable(title: "", steps: ["work"], participants: [base, other])
        #expect(table.ratio("work", of: other) == nil)
        guard case .measured(_, _, let ratio)? = table.rows.first?.cells.last else { return #expect(Bool(false), "not measured") }
        #expect(ratio == "–")
        table.growth = Growth(steps: ["work"], counts: [1])
        #expect(table.ratio("work", of: other) != nil)
    }

    @Test("A sample stands in the rows of all steps that are the same work")
    func equivalents() {
        var own = result("own", [:])
        own.add(Sample(step: "read, update", seconds: 2), ["update": "read, update", "delete": "read, delete"])
        #expect(own.steps["update"]?.median == 2)
        #expect(own.steps["read, update"]?.median == 2)
        #expect(own.steps["delete"] == nil)
    }

    @Test("A spread goes from the shortest run to the longest, and one run has none")
    func spread() {
        #expect(result("base", ["work": [3, 1, 2]]).steps["work"]?.spread == 1...3)
        #expect(result("base", ["work": [3]]).steps["work"]?.spread == nil)
    }

    @Test("An answer that differs makes the report unsound, and every text says so")
    func differingAnswers() {
        let table = ReportTable(
            title: "t", steps: ["work"],
            participants: [result("base", ["work": [1]]), result("other", ["work": [1]], Answer(count: 1, checksum: 5))])
        let report = Report(.events, title: "t", tables: [table])
        #expect(!report.isSound)
        #expect(TerminalReport(report: report).text.contains("1, NOT EQUAL"))
        #expect(HTMLReport(report: report).text.contains("✗ 1, NOT EQUAL"))
        #expect(MarkdownReport(report: report).text.contains("1, NOT EQUAL"))
    }

    @Test("A step that failed, or whose process ended early, makes the report unsound")
    func failures() {
        var failed = result("base", ["work": [1]])
        failed.fail(["work", "more"], "killed")
        let table = ReportTable(title: "t", steps: ["work", "more"], participants: [failed])
        #expect(table.agreement("work").isEqual)
        #expect(!table.agreement("more").isEqual)
    }

    @Test("Answers that change from run to run are a failure")
    func unstable() {
        var result = result("base", ["work": [1]])
        result.add(Sample(step: "work", seconds: 1, answer: Answer(count: 2)))
        #expect(result.steps["work"]?.failure != nil)
    }

    @Test("Peak memory is told for writing and for reading, and a size that nobody has not at all")
    func sizes() {
        var own = result("base", [:])
        own.add(Sample(step: "insert", seconds: 1, memory: Sample.Memory(peak: 500_000_000)))
        own.add(Sample(step: "count", seconds: 1, memory: Sample.Memory(peak: 30_000_000)))
        let table = ReportTable(title: "", steps: [EventStep.insert, .count], participants: [own])
        #expect(table.sizes.map(\.title) == ["peak memory, writing", "peak memory, reading"])
        #expect(table.sizes.map(\.bytes) == [[500_000_000], [30_000_000]])
    }

    @Test("Steps of a phase share a process only where opening loads the file")
    func schedule() {
        let steps: [ArchiveStep] = [.importing, .open, .counts, .text, .update, .delete, .verify]
        #expect(Schedule.groups(steps, .perStep).count == 7)
        #expect(Schedule.groups(steps, .whole) == [["import", "count", "text", "update", "delete", "verify"]])
        #expect(
            Schedule.groups(steps, .perPhase) == [["import"], ["cold open", "count", "text", "update", "delete"], ["verify"]]
        )
    }
}
