import Foundation
import Strata
import StrataPlatform
import StrataPostgreSQLWorker
import StrataStore
import StrataTestRandom
import StrataTestSupport
import Testing

@testable import StrataPostgreSQL

/// `STRATA_PROCESS_WALKS` and `STRATA_PROCESS_ROUNDS` say how many walks there are of each kind, and how long.
@Suite("Processes that change one store at random, and are killed", .timeLimit(.minutes(60 * 24)), .serialized)
struct TwoProcessWalkTests {
    private static func number(_ name: String, otherwise: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? otherwise
    }

    private static let walks = number("STRATA_PROCESS_WALKS", otherwise: 1)
    private static let rounds = number("STRATA_PROCESS_ROUNDS", otherwise: 2)

    private static func walk(_ kind: String, _ body: (UInt64) throws -> [String: Int]) throws {
        var counts: [String: Int] = [:]
        for number in 0..<walks { counts.merge(try body(RunSeed.value &+ UInt64(number)), uniquingKeysWith: +) }
        let text = counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        print("walks of processes, \(kind): \(walks), seed=\(RunSeed.value) \(text)")
    }

    @Test("A file has every acknowledged save whole, and none of the others in part", arguments: ["sqlite", "lmdb"])
    func files(_ kind: String) throws {
        try Self.walk(kind) { seed in
            let directory = try TemporaryDirectory("strata-walk")
            var walk = try ProcessWalk(directory.file("store"), kind, seed)
            for _ in 0..<Self.rounds {
                try walk.run(for: .random(in: 0.2...1, using: &walk.random))
                try walk.killSome()
                try walk.check()
            }
            return walk.oracle.counts
        }
    }

    @Test("A server has every acknowledged save whole, and none of the others in part", .server)
    func server() throws {
        let server = try PostgreSQLServer()
        try Self.walk("postgresql") { seed in
            let scratch = try Scratch(on: server)
            var walk = try ProcessWalk(scratch.url, scratch.schema, seed)
            for round in 0..<Self.rounds {
                try walk.run(for: .random(in: 0.2...1, using: &walk.random))
                switch (seed &+ UInt64(round)) % 4 {
                case 0: break
                case 1:
                    walk.isTroubled = true
                    try scratch.run(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' \
                        AND pid <> pg_backend_pid() AND random() < 0.5
                        """)
                    try walk.run(for: 0.2)
                case 2: try walk.killSome()
                default:
                    walk.isTroubled = true
                    try server.crash()
                    usleep(.random(in: 0...200_000, using: &walk.random))
                    try server.start()
                    try walk.run(for: 0.3)
                }
                try walk.killSome()
                try walk.check { expectSameBySQL(scratch, $0) }
                walk.isTroubled = false
            }
            return walk.oracle.counts
        }
    }

    /// Whether what SQL says of the tables is what the graph says.
    private func expectSameBySQL(_ scratch: Scratch, _ dump: WalkDump) {
        do {
            let schema = scratch.schema
            for root in WalkModel.roots where root != "Mark" {
                let names = try scratch.run("SELECT _id || ' ' || name FROM \(schema).\(root.lowercased())")
                let expected = dump.objects.filter { $0.key.hasPrefix(root + "/") }.map { id, values in
                    "\(id.dropFirst(root.count + 1)) \(values["name"] ?? "")"
                }
                #expect(names.sorted() == expected.sorted())
            }
            #expect(try scratch.run("SELECT sum(balance) FROM \(schema).party") == ["\(WalkModel.total)"])
            let lost = [
                "FROM \(schema).document d LEFT JOIN \(schema).folder f ON f._id = d.folder_id WHERE f._id IS NULL",
                "FROM \(schema).folder f LEFT JOIN \(schema).party p ON p._id = f.owner_id WHERE p._id IS NULL",
                "FROM \(schema).document d JOIN \(schema).cover c ON c._id = d.cover_id WHERE c.document_id IS DISTINCT FROM d._id",
            ]
            for rows in lost { #expect(try scratch.run("SELECT count(*) \(rows)").allSatisfy { $0 == "0" }, "\(rows)") }
        } catch { Issue.record(error) }
    }
}
