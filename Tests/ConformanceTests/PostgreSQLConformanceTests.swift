import Foundation
import Strata
import StrataConformance
import StrataHarnesses
import StrataPostgreSQL
import StrataTestSupport
import Testing

@Suite(
    "A store on a server does what every store does", .timeLimit(.minutes(60)),
    .enabled(if: PostgreSQLServer.isAvailable, Comment(rawValue: PostgreSQLServer.reason)),
    .enabled(if: ConformanceSelection.includesPostgreSQL, "CONFORMANCE_STORES names other stores"))
struct PostgreSQLConformanceTests {
    @Test("A PostgreSQL store passes the suite", arguments: casesOfOneStore)
    func single(_ item: ConformanceCase) async throws { try await run(item, on: .postgreSQL, with: [StoreHarness(.sqlite)]) }

    @Test("A PostgreSQL store and another one answer and save as one", arguments: casesOfFederation, partners)
    func federation(_ item: ConformanceCase, _ partner: Partner) async throws {
        try await both(item, partner)
    }

    @Test("A PostgreSQL store becomes one of any other type, and the other way round", arguments: casesOfConversion, partners)
    func conversion(_ item: ConformanceCase, _ partner: Partner) async throws {
        try await both(item, partner)
    }

    private func both(_ item: ConformanceCase, _ partner: Partner) async throws {
        try await run(item, on: .postgreSQL, with: [partner.harness])
        // What the store cannot do it cannot do for another one either.
        let isKnown = StoreHarness.postgreSQL.divergences.contains { $0.caseName == item.name }
        if partner != .same, !isKnown { try await run(item, on: partner.harness, with: [.postgreSQL]) }
    }
}

/// Another store, or a second one of the same kind.
enum Partner: Hashable, Sendable, CustomTestStringConvertible {
    case same
    case other(TestStore)

    var harness: StoreHarness {
        switch self {
        case .same: .postgreSQL
        case .other(let store): StoreHarness(store)
        }
    }

    var testDescription: String { "\(harness)" }
}

private let partners = [Partner.same] + TestStore.allCases.map { Partner.other($0) }

extension StoreHarness {
    /// Stores on the server of the tests, each in a schema of its own; without foreign keys where `STRATA_FOREIGN_KEYS=0` says so.
    static let postgreSQL = StoreHarness(
        "postgresql", isPersistent: true, isFileBased: false, allowsSeveralCoordinators: true, keepsHistory: true,
        divergences: Divergence.known(of: "postgresql")
            + (hasForeignKeys
                ? ["Verifying finds references to nothing, by object and key", "Verifying finds links to nothing, by object and key"].map {
                    Divergence(store: "postgresql", case: $0, reason: "a foreign key forbids what is to be found")
                } : [])
    ) { directory, name in
        // Without a server no case is run.
        let url = (try? PostgreSQLServer.shared.get().url) ?? ""
        return .postgreSQL(url, schema: PostgreSQLServer.schema(directory, name), connections: 8, foreignKeys: hasForeignKeys)
    }
}

private let hasForeignKeys = ProcessInfo.processInfo.environment["STRATA_FOREIGN_KEYS"] != "0"
