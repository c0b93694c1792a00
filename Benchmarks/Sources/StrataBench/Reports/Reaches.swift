import BenchPeers
import BenchReports
import StrataWorkload

extension Reach {
    /// What Strata sets out to reach: the one list of it.
    static let all = archive + events + growth + queries + lists + migrations + contexts + observation + history + coreData

    private static let archive = list(
        .archive, ArchiveStep.self,
        [
            (SQLiteChoice.name, [.importing], .time(of: ArchivePeers.rawSQLite.name), 1.25),
            (LMDBChoice.name, [.importing], .time(of: ArchivePeers.rawLMDB.name), 1.9),
            (StrataFederation.name, [.importing], .time(of: ArchivePeers.rawSQLite.name), 1.7),
            (SQLiteChoice.name, [.importing], .time(of: ArchivePeers.grdb.name), 1),
            (LMDBChoice.name, [.importing], .time(of: ArchivePeers.grdb.name), 1),
            (StrataFederation.name, [.importing], .time(of: ArchivePeers.grdb.name), 1),
            (SQLiteChoice.name, [.importing], .rowsOfPeak, 3),
            (LMDBChoice.name, [.importing], .rowsOfPeak, 3),
            (StrataFederation.name, [.importing], .rowsOfPeak, 3),
            (SQLiteChoice.name, [.keepAll], .time(of: ArchivePeers.rawSQLite.name), 1.1),
            (LMDBChoice.name, [.keepAll], .time(of: ArchivePeers.rawLMDB.name), 1.6),
            (SQLiteChoice.name, [.importing], .references, 30),
            (SQLiteChoice.name, [.closure], .time(of: ArchivePeers.rawSQLite.name), 2.2),
            (LMDBChoice.name, [.closure], .time(of: ArchivePeers.rawLMDB.name), 2),
            (SQLiteChoice.name, [.byID, .readUpdate, .readDelete], .time(of: ArchivePeers.rawSQLite.name), 1),
            (LMDBChoice.name, [.byID], .time(of: ArchivePeers.rawLMDB.name), 1.15),
            (LMDBChoice.name, [.readUpdate, .readDelete], .time(of: ArchivePeers.rawLMDB.name), 1.2),
        ])

    private static let events = list(
        .events, EventStep.self,
        [
            (SQLiteChoice.name, [.insert], .time(of: EventPeers.rawSQLite.name), 1.15),
            (SQLiteChoice.name, [.fetchAll, .ranges], .time(of: EventPeers.rawSQLite.name), 1.25),
            (SQLiteChoice.name, [.fetchAll], .time(of: EventPeers.grdb.name), 0.5),
            (SQLiteChoice.name, [.byID, .readUpdate, .readDelete], .time(of: EventPeers.rawSQLite.name), 1),
            (SQLiteChoice.name, [.count, .grouping], .time(of: EventPeers.rawSQLite.name), 1.1),
            (SQLiteChoice.name, [.singles], .time(of: EventPeers.rawSQLite.name), 1.05),
            (LMDBChoice.name, [.insert], .time(of: EventPeers.rawLMDB.name), 1.35),
            (LMDBChoice.name, [.ranges, .count, .grouping], .time(of: EventPeers.rawLMDB.name), 1.5),
            (LMDBChoice.name, [.byID, .singles], .time(of: EventPeers.rawLMDB.name), 1.15),
            (LMDBChoice.name, [.fetchAll], .time(of: EventPeers.rawLMDB.name), 1.3),
            (LMDBChoice.name, [.readUpdate, .readDelete], .time(of: EventPeers.rawLMDB.name), 1.2),
            (LMDBChoice.name, [.fetchAll, .ranges, .byID, .count, .grouping], .time(of: SQLiteChoice.name), 1),
            (InMemoryChoice.name, [.ranges, .byID], .time(of: EventPeers.dictionary.name), 2),
            (InMemoryChoice.name, [.grouping], .time(of: EventPeers.dictionary.name), 1.5),
            (BinaryChoice.name, [.load, .save], .time(of: EventPeers.propertyList.name), 0.05),
            (XMLChoice.name, [.load, .save], .time(of: EventPeers.rawXML.name), 1.5),
            (ServerParticipant.strata, [.insert], .time(of: ServerParticipant.raw), 1.5),
            (
                ServerParticipant.strata, [.fetchAll, .ranges, .byID, .update, .delete, .batchUpdate, .batchDelete],
                .time(of: ServerParticipant.raw), 1.3
            ),
            (ServerParticipant.strata, [.count, .grouping], .time(of: ServerParticipant.raw), 1.05),
            // Each of sixteen writes as much as the one, and all of them six times as fast, if the server can.
            (ServerParticipant.strata, [.sixteenWriters], .step(EventStep.singles.rawValue, limitedBy: ServerParticipant.pgbench), 16 / 6),
            (SQLiteChoice.name, [.insert], .references, 12),
            (LMDBChoice.name, [.insert], .references, 12),
            (SQLiteChoice.name, [.fetchAll], .references, 7),
            (SQLiteChoice.name, [.singles], .allocations, 15),
            (LMDBChoice.name, [.singles], .allocations, 15),
            (SQLiteChoice.name, [.fetchUntouched], .rowsOfKept, 2),
            (LMDBChoice.name, [.fetchUntouched], .rowsOfKept, 2),
            (InMemoryChoice.name, [.fetchUntouched], .rowsOfKept, 2),
        ])

    /// Everything that Strata does, beside what the first of its table does.
    private static let growth = Registry.events.flatMap { table -> [Reach] in
        guard let base = table.participants.first else { return [] }
        return list(
            .growth, EventStep.self,
            table.participants.filter { $0.kind == .strata }.map { type in
                (type.name, GrowthCommand.steps(of: type).filter(base.steps.contains), .growth(of: base.name), 1.3)
            })
    }

    private static let queries = list(
        .queries, QueryStep.self,
        [
            (SQLiteChoice.name, [.byID, .byKey], .time(of: QueryPeers.rawSQLite.name), 1.5),
            (SQLiteChoice.name, [.group], .time(of: QueryPeers.rawSQLite.name), 1.1),
            (SQLiteChoice.name, [.search], .time(of: QueryPeers.rawSQLite.name), 1),
            (SQLiteChoice.name, [.batchInsert, .batchUpdate, .batchDelete], .time(of: QueryPeers.rawSQLite.name), 1.15),
            (SQLiteChoice.name, [.parse], .seconds(0.05, "5 µs each"), 1),
        ])

    private static let lists = list(
        .lists, EventStep.self,
        [
            (SQLiteChoice.name, [.startToPage], .time(of: EventPeers.rawSQLite.name), 2.2),
            (SQLiteChoice.name, [.page, .pagesBesideWriter], .time(of: EventPeers.rawSQLite.name), 1.5),
            (SQLiteChoice.name, [.sortedPage, .countWhere, .sortedSearch], .time(of: EventPeers.rawSQLite.name), 1.1),
            (LMDBChoice.name, [.page, .countWhere, .pagesBesideWriter], .time(of: EventPeers.rawLMDB.name), 1.5),
        ])

    private static let migrations = list(
        .migrations, MigrationStep.self,
        [
            (SQLiteChoice.name, [.addEmpty, .addDefault], .time(of: MigrationPeers.rawSQLite.name), 1.2),
            (SQLiteChoice.name, [.rewrite], .time(of: MigrationCopy<SQLiteChoice>.name), 2),
            (LMDBChoice.name, [.rewrite], .time(of: MigrationCopy<LMDBChoice>.name), 2),
            (BinaryChoice.name, [.rewrite], .time(of: MigrationCopy<BinaryChoice>.name), 2),
            (XMLChoice.name, [.rewrite], .time(of: MigrationCopy<XMLChoice>.name), 2),
        ])

    private static let contexts =
        list(.contexts, ContextSave.Step.self, [(ContextSave.childName, ContextSave.Step.allCases, .time(of: ContextSave.storeName), 1.2)])
        + list(.contexts, ContextScale.Step.self, [(ContextScale.manyName, ContextScale.Step.allCases, .time(of: ContextScale.fewName), 2)])

    private static let observation = list(
        .observation, ObservationStep.self,
        [
            (Followers.others.rawValue, [.insert, .update], .time(of: Followers.others.reference.rawValue), 1.01),
            (Followers.properties.rawValue, [.update], .time(of: Followers.properties.reference.rawValue), 1.01),
        ])

    private static let history = [HistoryKind.sqlite, .lmdb].flatMap { kind in
        let (without, with) = (kind.participants[0].name, kind.participants[1].name)
        return list(
            .history, HistoryStep.self,
            [
                (with, [.importing, .insert, .update, .singles, .delete], .time(of: without), 1.05),
                (with, [.read], .time(of: without), 0.25),
            ] + kind.participants.dropFirst(2).map { ($0.name, [.insert], .time(of: without), 1.6) })
    }

    private static let coreData = list(
        .coredata, CoreDataStep.self,
        [
            (CoreDataStep.coreDataName, [.insert, .fetch], .time(of: CoreDataStep.strataName), 1.15),
            (CoreDataStep.coreDataName, [.get], .time(of: CoreDataStep.strataName), 1.3),
        ])

    private static func list<Step: ReportStep>(
        _ job: ReportJob, _ steps: Step.Type,
        _ rows: [(participant: String, steps: [Step], reference: Reference, atMost: Double)]
    ) -> [Reach] {
        rows.flatMap { row in
            row.steps.map {
                Reach(job: job, participant: row.participant, step: $0.rawValue, reference: row.reference, atMost: row.atMost)
            }
        }
    }
}
