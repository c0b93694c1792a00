import Foundation
import StrataConformance
import StrataDivergences
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

    @Test("The object graph keeps its laws in memory and on SQLite", arguments: casesOfGraph, storesOfGraph)
    func graph(_ item: ConformanceCase, _ store: TestStore) async throws { try await run(item, on: StoreHarness(store), with: []) }

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

    @Test("The suite has at least 200 cases, each with a name of its own")
    func names() {
        #expect(StoreConformance.cases.count >= 200)
        #expect(Set(allCases.map(\.name)).count == allCases.count)
        for subject in ConformanceCase.Subject.allCases { #expect(!StoreConformance.cases(in: subject).isEmpty, "\(subject) is empty") }
    }

    // The cases of staged migrations were in no room, and never ran.
    @Test("Every file of cases is in a subject")
    func files() throws {
        let suite = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/StoreConformance")
            .standardizedFileURL
        let list = try String(contentsOf: suite.appending(path: "Suite/StoreConformance.swift"), encoding: .utf8)
        let files = try FileManager.default.subpathsOfDirectory(atPath: suite.path).filter { $0.hasSuffix("Cases.swift") }
        #expect(files.count > 40)
        for file in files {
            let name = URL(filePath: file).deletingPathExtension().lastPathComponent
            let text = try String(contentsOf: suite.appending(path: file), encoding: .utf8)
            #expect(!text.contains("enum \(name) ") || list.contains("\(name).all"), "\(name)")
        }
    }

    @Test("Every divergence is of a store and a case that exist")
    func divergences() {
        for divergence in Divergence.known {
            #expect(TestStore.allCases.contains { $0.rawValue == divergence.store } || divergence.store == StoreHarness.postgreSQL.name)
            #expect(allCases.contains { $0.name == divergence.caseName }, "\(divergence.caseName)")
            #expect(!divergence.reason.isEmpty)
        }
    }
}

/// Stores to run alone, by name, from the environment.
private let chosenStores = (ProcessInfo.processInfo.environment["CONFORMANCE_STORES"] ?? "").split(separator: ",").map(String.init)
private let stores = TestStore.allCases.filter { chosenStores.isEmpty || chosenStores.contains($0.rawValue) }
/// A long run has all stores.
private let storesOfGraph =
    ProcessInfo.processInfo.environment["STRATA_SOAK"] == nil ? stores.filter { [.inMemory, .sqlite].contains($0) } : stores

/// Subjects, or parts of cases' names, from the environment, to run some cases alone while working on them.
private let chosen = (ProcessInfo.processInfo.environment["CONFORMANCE_CASES"] ?? "").split(separator: ",").map {
    $0.trimmingCharacters(in: .whitespaces)
}

private let allCases = StoreConformance.cases + StoreConformance.graphCases

private func cases(where isMeant: (ConformanceCase) -> Bool) -> [ConformanceCase] {
    allCases.filter { item in
        isMeant(item) && (chosen.isEmpty || chosen.contains { item.subject.rawValue == $0 || item.name.contains($0) })
    }
}

let casesOfOneStore = cases { !$0.needsPartner && !$0.subject.isOfGraph }
let casesOfGraph = cases { !$0.needsPartner && $0.subject.isOfGraph }
let casesOfFederation = cases { $0.subject == .federation }
let casesOfConversion = cases { $0.subject == .conversion }

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
