import ArgumentParser
import StrataWorkload
import Testing

@testable import BenchPeers
@testable import BenchReports
@testable import StrataBench

@Suite struct ReachTests {
    private let reach = Reach(
        job: .events, participant: SQLiteChoice.name, step: "fetch all", reference: .time(of: EventPeers.rawSQLite.name), atMost: 1.25)

    @Test("A reach is judged only where both participants took part")
    func judged() {
        let own = result(SQLiteChoice.name, ["fetch all": [1.2]])
        let raw = result(EventPeers.rawSQLite.name, ["fetch all": [1]])
        #expect(reach.result(in: [ReportTable(title: "", steps: ["fetch all"], participants: [own, raw])])?.isReached == true)
        #expect(reach.result(in: [ReportTable(title: "", steps: ["fetch all"], participants: [own])]) == nil)
    }

    @Test("A reach of times below a millisecond is neither reached nor missed")
    func short() throws {
        let own = result(SQLiteChoice.name, ["fetch all": [0.000_5]])
        let raw = result(EventPeers.rawSQLite.name, ["fetch all": [0.000_1]])
        let found = try #require(reach.result(in: [ReportTable(title: "", steps: ["fetch all"], participants: [own, raw])]))
        #expect(found.isReached == nil)
        #expect(found.cells == ["–", "≤ 1.25×", "too short"])
    }

    @Test("A reach may be to a participant of another table, and prints with the digits of its runs")
    func otherTable() throws {
        let own = ReportTable(title: "", steps: ["fetch all"], participants: [result(SQLiteChoice.name, ["fetch all": [1.2345]])])
        let raw = ReportTable(title: "", steps: ["fetch all"], participants: [result(EventPeers.rawSQLite.name, ["fetch all": [1, 1, 1]])])
        #expect(try #require(reach.result(in: [own, raw])).cells == ["1.2×", "≤ 1.25×", "reached"])
    }

    @Test("A step may be measured by another one of the same participant, as far as somebody else can do better")
    func ownStep() {
        let own = result(ServerParticipant.strata, ["1,000 saves": [2], "16 writers": [5]])
        let raw = result(ServerParticipant.raw, ["1,000 saves": [1], "16 writers": [3]])
        let reach = Reach(
            job: .events, participant: ServerParticipant.strata, step: "16 writers",
            reference: .step("1,000 saves", limitedBy: ServerParticipant.raw), atMost: 2)
        func judged(_ participants: [ParticipantResult]) -> ReachResult? {
            reach.result(in: [ReportTable(title: "", steps: ["1,000 saves", "16 writers"], participants: participants)])
        }
        #expect(judged([own])?.ratio == 2.5)
        #expect(judged([own])?.isReached == false)
        #expect(judged([raw, own])?.isReached == true)
        #expect(judged([own])?.reference == "1,000 saves of its own")
    }

    @Test("Memory is measured in bytes of the rows")
    func memory() {
        var own = result(SQLiteChoice.name, [:])
        own.add(Sample(step: "import", seconds: 1, memory: Sample.Memory(peak: 900, grown: 700)))
        var table = ReportTable(title: "", steps: ["import"], participants: [own])
        table.rowBytes = 200
        let reach = Reach(job: .archive, participant: SQLiteChoice.name, step: "import", reference: .rowsOfPeak, atMost: 3)
        #expect(reach.result(in: [table])?.ratio == 3.5)
    }

    @Test("References and allocations are reached for an object, by what was counted alone")
    func counts() throws {
        var own = result(SQLiteChoice.name, ["insert": [1]], Answer(count: 100))
        let reach = Reach(job: .events, participant: SQLiteChoice.name, step: "insert", reference: .references, atMost: 12)
        #expect(reach.result(in: [ReportTable(title: "", steps: ["insert"], participants: [own])]) == nil)
        own.add(Sample(step: "insert", seconds: 9, counts: Counts(retains: 500, releases: 710, allocations: 100, bytes: 6_400)))
        #expect(own.steps["insert"]?.median == 1)
        let table = ReportTable(title: "", steps: ["insert"], participants: [own])
        #expect(try #require(reach.result(in: [table])).cells == ["12", "≤ 12", "missed"])
        let report = Report(.events, title: "", tables: [table])
        for text in [TerminalReport(report: report).text, MarkdownReport(report: report).text, HTMLReport(report: report).text] {
            #expect(text.contains("5.0 · 7.1 · 1.0 · 64 B"))
        }
    }

    @Test("A growth is divided by that of the raw participant")
    func growth() {
        let tables = [100, 1_000].map { count in
            let scale = Double(count)
            let raw = result(EventPeers.rawSQLite.name, ["insert": [scale]])
            let own = result(SQLiteChoice.name, ["insert": [scale * scale]])
            return (count: count, tables: [ReportTable(title: "", steps: ["insert"], participants: [raw, own])])
        }
        let report = GrowthCommand.report(tables)
        #expect(report.reaches.map(\.reference) == ["growth of raw SQLite"])
        #expect(abs((report.reaches.first?.ratio ?? 0) - 10) < 1e-9)
        #expect(report.tables.first?.steps == ["insert at 100", "insert at 1,000"])
    }

    #if AllJobs
        @Test("Every reach of the archive, the events and the lists is about steps that its participants do")
        func separateProcesses() {
            let archive = Dictionary(uniqueKeysWithValues: Registry.archive.map { ($0.name, $0.steps.map(\.rawValue)) })
            let events = Dictionary(
                uniqueKeysWithValues: Registry.events.flatMap(\.participants).map { ($0.name, $0.steps.map(\.rawValue)) })
            let lists = Dictionary(uniqueKeysWithValues: ListsCommand.participants.map { ($0.name, $0.listSteps.map(\.rawValue)) })
            let jobs: [ReportJob: [String: [String]]] = [.archive: archive, .events: events, .growth: events, .lists: lists]
            for reach in Reach.all {
                guard let steps = jobs[reach.job] else { continue }
                #expect(steps[reach.participant]?.contains(reach.step) == true, "\(reach)")
                switch reach.reference {
                case .time(let other), .growth(let other): #expect(steps[other]?.contains(reach.step) == true, "\(reach)")
                case .step(let other, let limit):
                    #expect(steps[reach.participant]?.contains(other) == true, "\(reach)")
                    #expect(steps[limit]?.contains(reach.step) == true, "\(reach)")
                case .seconds, .rowsOfPeak, .rowsOfKept, .references, .allocations: break
                }
            }
        }

        @Test(
            "Every reach of a job in one process is found in its report",
            arguments: [ReportJob.queries, .migrations, .contexts, .observation, .history, .coredata])
        func oneProcess(_ job: ReportJob) throws {
            let few = ["--count", "120", "--runs", "1", "--quiet"]
            let report =
                switch job {
                case .queries: try QueriesCommand.parse(few).report()
                case .migrations: try MigrationsCommand.parse(few).report()
                case .contexts: try ContextsCommand.parse(few).report()
                case .observation: try ObservationCommand.parse(few).report()
                case .history: try HistoryCommand.parse(few).report()
                default: try CoreDataCommand.parse(few).report()
                }
            #expect(report.job == job)
            #expect(report.isSound)
            #expect(report.reaches.count == Reach.all.filter { $0.job == job }.count)
        }
    #endif

    @Test("Every job has something to reach")
    func everyJob() {
        #expect(Set(Reach.all.map(\.job)) == Set(ReportJob.allCases))
    }
}
