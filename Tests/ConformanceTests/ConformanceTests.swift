import Foundation
import Strata
import StrataConformance
import StrataHarnesses
import StrataSQLite
import StrataStore
import StrataTestSupport
import Testing

/// Runs a case and points at the check that failed; a store that could do what the case requires must not be passed over.
func run(_ item: ConformanceCase, on harness: StoreHarness, with partners: [StoreHarness]) async throws {
    do {
        let outcome = try await item.run(on: harness, with: partners)
        guard case .skipped(let reason) = outcome else { return }
        let stores = item.needsPartner ? [harness] + partners : [harness]
        let isDurable = stores.allSatisfy { $0.isPersistent && $0.isFileBased }
        #expect(!isDurable || item.requirements.contains(.severalCoordinators), "\(harness) was passed over: \(reason)")
    } catch let failure as ConformanceFailure {
        Issue.record(
            "\(harness): \(failure.message)",
            sourceLocation: SourceLocation(fileID: failure.fileID, filePath: failure.filePath, line: failure.line, column: 1))
    } catch {
        Issue.record(error, "\(harness): \(item)")
    }
}

@Suite("Every store does what every store does", .timeLimit(.minutes(60)))
struct ConformanceTests {
    @Test("A store passes the suite", arguments: casesOfOneStore, stores)
    func single(_ item: ConformanceCase, _ store: TestStore) async throws {
        try await run(item, on: StoreHarness(store), with: StoreHarness.partners(of: store))
    }

    @Test("Two stores answer and save as one", arguments: casesOfFederation, pairs)
    func federation(_ item: ConformanceCase, _ pair: Pair) async throws {
        try await run(item, on: StoreHarness(pair.first), with: [StoreHarness(pair.second)])
    }

    @Test("Five stores answer and save as one", arguments: casesOfFederation)
    func five(_ item: ConformanceCase) async throws {
        try await run(item, on: StoreHarness(.sqlite), with: StoreHarness.partners(of: .sqlite))
    }

    @Test("A store becomes one of any other type", arguments: casesOfConversion, allPairs)
    func conversion(_ item: ConformanceCase, _ pair: Pair) async throws {
        try await run(item, on: StoreHarness(pair.first), with: [StoreHarness(pair.second)])
    }

    @Test("A SQLite store with a history in Core Data's tables passes the cases of histories", arguments: casesOfHistories)
    func coreDataHistory(_ item: ConformanceCase) async throws {
        try await run(item, on: .coreDataHistory, with: [StoreHarness(.sqlite)])
    }

    @Test("The suite has at least 200 cases, each with a name of its own")
    func names() {
        #expect(StoreConformance.cases.count >= 200)
        #expect(Set(StoreConformance.cases.map(\.name)).count == StoreConformance.cases.count)
    }

    // The cases of staged migrations were in no list, and never ran.
    @Test("Every file of cases is listed")
    func files() throws {
        #expect(try CaseFiles.unlisted(in: "Sources/StoreConformance", list: "Suite/StoreConformance.swift") == [])
    }

    @Test("Every divergence is of a store and a case that exist")
    func divergences() {
        for divergence in Divergence.known {
            #expect(TestStore.allCases.contains { $0.rawValue == divergence.store } || divergence.store == StoreHarness.postgreSQL.name)
            #expect(StoreConformance.cases.contains { $0.name == divergence.caseName }, "\(divergence.caseName)")
            #expect(!divergence.reason.isEmpty)
        }
    }
}

private let stores = ConformanceSelection.stores
private let cases = ConformanceSelection.chosen(of: StoreConformance.cases)

let casesOfOneStore = cases.filter { !$0.needsPartner }
let casesOfFederation = cases.filter { $0.subject == .federation }
let casesOfConversion = cases.filter { $0.subject == .conversion }

let casesOfHistories = stores.contains(.sqlite) ? cases.filter { $0.requirements.contains(.history) } : []

extension StoreHarness {
    /// A SQLite store that keeps its history in Core Data's tables.
    fileprivate static let coreDataHistory = {
        let name = "sqlite with Core Data's history"
        return StoreHarness(
            name, isPersistent: true, isFileBased: true, allowsSeveralCoordinators: true, keepsHistory: true,
            divergences: [
                Divergence(
                    store: name, case: "Batch requests are transactions, whether IDs are requested or not",
                    reason: "Core Data's tables have no column for the kind of a transaction"),
                Divergence(
                    store: name, case: "What another program writes past the history becomes one transaction of an unknown author",
                    reason: "Core Data's tables have no column for the kind of a transaction"),
                Divergence(
                    store: name,
                    case: "A damaged transaction, or one of a later version, is an error of the requests that read it, and of nothing else",
                    reason: "Core Data's tables hold no packed transaction that could be damaged: it is refused when it is added"),
                Divergence(
                    store: name, case: "A deleted object leaves its preserved values in the history",
                    reason: "Core Data preserves no value that may be in an external file"),
                Divergence(
                    store: name, case: "Links and members change both ends in the history",
                    reason: "The order of to-many relationships in a mask is not known"),
                Divergence(
                    store: name, case: "Random saves of several contexts are in the history as listeners heard of them",
                    reason: "The order of to-many relationships in a mask is not known"),
            ] + readsOfThePast.map { Divergence(store: name, case: $0, reason: "Core Data's tables cannot keep values") }
        ) { directory, name in
            StoreDescription(.sqlite(keepsCoreDataHistory: true), path: "\(directory)/\(name).sqlite")
        }
    }()
}

private let readsOfThePast = [
    "A context reads rows, links and orders as they were at a token", "A context reads objects of a hierarchy as they were at a token",
    "Derived values are read as they were at a token", "Objects of batch requests are as they were at a token",
    "Several stores are as they were at one token", "Tokens that the history does not reach with values are typed errors",
    "What a context of the past changes conflicts with what was saved since", "A converted store is read as it was before",
    "A migration expires tokens for reads of the past", "Random saves of two contexts: the past is read as it was at each token",
    "The past is read where another coordinator changed a row, and then this one changes or deletes it",
    "The orders of the past are read after the store was opened again",
]

/// Two stores.
struct Pair: Sendable, CustomTestStringConvertible {
    let first: TestStore
    let second: TestStore
    var testDescription: String { "\(first) and \(second)" }
}

/// Every store with itself, and with the next one.
private let pairs = stores.enumerated().flatMap { index, store in
    [Pair(first: store, second: store), Pair(first: store, second: stores[(index + 1) % stores.count])]
}

/// Every store with every one.
private let allPairs = stores.flatMap { first in stores.map { Pair(first: first, second: $0) } }
