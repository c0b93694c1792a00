import Foundation
import Strata
import StrataSQLite
import Testing

@testable import StrataInspector

/// Measures the first page over a million rows: `STRATA_FIGURES=1 swift test --package-path Inspector --filter Figures`.
@Suite("Figures", .enabled(if: ProcessInfo.processInfo.environment["STRATA_FIGURES"] != nil)) struct FigureTests {
    @Test("The first page over a million rows, and a fetch of one object by an index", arguments: [Kind.sqlite, .lmdb])
    func firstPage(kind: Kind) async throws {
        let library = try Library(kind, authors: 1)
        try await library.container.performBackgroundTask { context in
            var numbers = (2...1_000_000).makeIterator()
            _ = try context.execute(
                BatchInsertRequest(entityName: "Author") { (row: inout BatchRow) in
                    guard let number = numbers.next() else { return true }
                    row["number"] = .int(Int64(number))
                    row["name"] = .string("Author \(number)")
                    return false
                })
        }
        let page = try await FigureTests.cpu(200) { _ in _ = try await library.send("/table?entity=Author") }
        let json = try await FigureTests.cpu(200) { _ in _ = try await library.send("/table.json?entity=Author&limit=50") }
        let context = library.container.newBackgroundContext()
        let fetch = try await FigureTests.cpu(2_000) { number in
            try await context.perform { context in
                var request = ObjectFetchRequest<ManagedObject>(entityName: "Author")
                request.predicate = try QueryPredicate(format: "number == %d", number * 487 % 1_000_000 + 1)
                _ = try context.fetch(request)
                context.reset()
            }
        }
        print("\(kind): page \(page) µs, JSON \(json) µs, fetch \(fetch) µs, ratio \(page / fetch), \(json / fetch)")
    }

    /// The processor time of a run in microseconds.
    private static func cpu(_ count: Int, _ body: (Int) async throws -> Void) async throws -> Double {
        try await body(0)
        let start = clock()
        for number in 0..<count { try await body(number) }
        return Double(clock() - start) * 1_000_000 / Double(CLOCKS_PER_SEC) / Double(count)
    }
}
