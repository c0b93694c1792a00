import Foundation
import StrataWorkload
import Testing

@testable import BenchReports
@testable import StrataBench

@Suite struct FirstComparisonTests {
    @Test("Columns of the first comparison stand below each other, whatever comes")
    func columns() throws {
        let first = FirstComparison(names: ["base", "other"])
        let heading = try #require(first.heading).split(separator: "\n").map(String.init)
        let rows = first.lines(["work", "a rather long st"], [result("base", ["work": [1.5]]), result("other", ["work": [3]])])
        #expect(rows[0] == " work             |           1.5 s |    3.0 s   2.0×")
        func bars(_ line: String) -> [Int] { line.enumerated().filter { $0.element == "|" }.map(\.offset) }
        for row in rows { #expect(bars(row) == bars(heading[1])) }
        #expect(heading[0].hasSuffix("ratios to base:"))
    }

    @Test("One participant is not compared")
    func single() {
        #expect(FirstComparison(names: ["base"]).heading == nil)
        #expect(FirstComparison(names: []).heading == nil)
    }

    @Test("Every step's name has room in the first comparison")
    func names() {
        for step in ArchiveStep.allCases { #expect(step.rawValue.count <= 16) }
    }

    @Test("Those that are compared first are measured first, and share a reference and all steps")
    func registry() throws {
        let types = Registry.archive.prefix(Registry.first.count)
        #expect(types.map { $0.name } == Registry.first)
        for type in types {
            #expect(type.reference == Registry.first[0])
            #expect(type.steps == ArchiveStep.allCases)
            #expect(type.grouping == .perStep)
        }
    }
}
