import BenchPeers
import Foundation
import Strata
import StrataPostgreSQL
import StrataWorkload

/// What the server itself is able to: `pgbench` sends what Strata sends for a save of one event, without a client that makes anything of it.
final class EventsPGBench: EventParticipant {
    static let name = ServerParticipant.pgbench
    static let kind = ParticipantKind.raw
    static let grouping = ProcessGrouping.perStep
    static let steps: [EventStep] = [.singles, .fourWriters, .sixteenWriters]

    var kept: Any?
    private let schema: String

    init(directory: String) throws { schema = try BenchSchema.prepared("pgbench_events", directory) }

    /// Makes the tables of a store.
    func open() throws {
        let store = StoreDescription.postgreSQL(try BenchServer.url(), schema: schema)
        let container = try PersistentContainer(model: EventObject.model(), stores: [store])
        for store in container.coordinator.stores { try container.coordinator.remove(store) }
    }

    func insertSingly(_ events: [Event]) throws -> Answer { try insert(events, writers: 1) }

    func insert(_ events: [Event], writers: Int) throws -> Answer {
        let process = Process()
        process.executableURL = BenchServer.pgbench.map { URL(fileURLWithPath: $0) }
        process.arguments = [
            "--no-vacuum", "--protocol=prepared", "--file=-", "--client=\(writers)", "--jobs=\(min(writers, 2))",
            "--transactions=\(events.count / writers)", try BenchServer.url(),
        ]
        // A scan that is switched off seems so dear that the server would compile the statement, each time.
        process.environment = ProcessInfo.processInfo.environment.merging(["PGOPTIONS": "-c jit=off"]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let input = Pipe()
        process.standardInput = input
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(save.utf8))
        try input.fileHandleForWriting.close()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0, let count = text.firstMatch(of: /actually processed: (\d+)/).flatMap({ Int($0.1) }) else {
            throw BenchServer.error("run pgbench", "status \(process.terminationStatus)")
        }
        return Answer(count: count)
    }

    /// As many bytes as those of an event of the workload, in one pipeline.
    private var save: String {
        let text = { (count: Int) in String(repeating: "x", count: count) }
        return """
            \\set id random(1, 9000000000000000)
            \\set rank random(0, 99999)
            \\startpipeline
            BEGIN ISOLATION LEVEL SERIALIZABLE, READ WRITE;
            SET LOCAL enable_seqscan = off;
            LOCK TABLE \(schema).strata_metadata IN ROW SHARE MODE;
            SELECT max(generation), max(store_id) FROM \(schema).strata_metadata;
            WITH done AS (INSERT INTO \(schema).event (_id, _entity, _version, address, bucket, detail, id, rank, time, title)
            SELECT * FROM unnest(array[:id::bigint], array[1], array[1::bigint], array['\(text(40))'], array[5::bigint],
            array['\(text(120))'], array[:id::bigint], array[:rank::bigint], array[1.5::float8], array['\(text(20))']) RETURNING true)
            SELECT 1 / (count(*) = 1)::integer FROM done;
            WITH done AS (INSERT INTO \(schema).strata_changes (writer, save, author, context, kind, relation, refs)
            VALUES ('\(UUID())', '\(UUID())', NULL, NULL, 'insert', 'event', array[:id]::bigint[]) RETURNING true)
            SELECT 1 / (count(*) = 1)::integer FROM done;
            COMMIT;
            \\endpipeline

            """
    }
}
