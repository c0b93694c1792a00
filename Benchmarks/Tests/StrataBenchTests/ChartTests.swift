import Foundation
import StrataWorkload
import Testing

@testable import BenchReports

@Suite struct ChartTests {
    @Test("An axis is logarithmic where values span more than a factor of a hundred, and only there")
    func choice() {
        #expect(!Axis([1, 50, 100]).isLogarithmic)
        #expect(Axis([1, 50, 101]).isLogarithmic)
        #expect(!Axis([]).isLogarithmic)
        #expect(!Axis([0, 5]).isLogarithmic)
    }

    @Test("A linear axis begins at nothing, a logarithmic one at a power of ten below its values")
    func shares() {
        let linear = Axis([10, 40])
        #expect(linear.share(0) == 0)
        #expect(linear.share(10) == 0.25)
        #expect(linear.ticks == [0, 20, 40])
        let logarithmic = Axis([1, 1000])
        #expect(logarithmic.share(1000) == 1)
        #expect(abs(logarithmic.share(1) - 0.25) < 1e-9)
        #expect(logarithmic.ticks.count == 5)
    }

    @Test("A chart with one base names it in its caption")
    func base() throws {
        let table = ReportTable(
            title: "", steps: ["work"], participants: [result("base", ["work": [1, 2, 3]]), result("other", ["work": [6, 8, 9]])])
        let figure = try #require(ReportCharts(table: table).figures.first)
        #expect(figure.contains("<b>work</b> <small>(× base)</small>"))
        #expect(figure.contains("8.00 s · 4.00×"))
    }

    /// Charts took every ratio to the first participant, tables to that of the same engine: one name had two ratios on one page.
    @Test("Each group of a chart has the base of its engine, as the table, which stands above its bars")
    func groups() throws {
        let table = engines()
        #expect(table.groups.map(\.reference) == ["base", "own", "base"])
        #expect(table.groups.map { $0.participants.map(\.name) } == [["base", "other"], ["own", "copy"], ["last"]])
        let figure = try #require(ReportCharts(table: table).figures.first)
        #expect(figure.components(separatedBy: ">× base</text>").count == 3)
        #expect(figure.components(separatedBy: ">× own</text>").count == 2)
        #expect(figure.contains(">12 s · 4.0×</text>"))
        let ratios = table.rows[0].cells.map { cell -> String? in
            guard case .measured(_, _, let ratio) = cell else { return nil }
            return ratio
        }
        #expect(ratios == [nil, "2.0×", nil, "4.0×", "5.0×"])
    }

    @Test("A group without a bar is left out, and its base with it")
    func emptyGroup() throws {
        var table = engines()
        table.participants[2].steps = [:]
        table.participants[3].steps = [:]
        let figure = try #require(ReportCharts(table: table).figures.first)
        #expect(!figure.contains("× own"))
    }

    private func engines() -> ReportTable {
        ReportTable(
            title: "", steps: ["work"],
            participants: [
                result("base", ["work": [1]]), result("other", ["work": [2]]), result("own", to: "own", ["work": [3]]),
                result("copy", to: "own", ["work": [12]]), result("last", ["work": [5]]),
            ])
    }

    @Test("Charts stand under headings by what their steps do, and sizes have bars without ratios")
    func sections() throws {
        let participants = [result("base", ["insert": [1], "count": [1]]), result("own", to: "own", ["insert": [1], "count": [1]])]
        let table = ReportTable(title: "", steps: [EventStep.insert, .count], participants: participants)
        let sections = ReportCharts(table: table).sections
        #expect(sections.map(\.title) == ["Reading", "Writing", "Memory and files"])
        #expect(sections.map(\.figures.count) == [1, 1, 2])
        #expect(try #require(sections.last).figures.allSatisfy { !$0.contains("×") })
    }

    @Test("Several runs have a line from the shortest to the longest, within the axis, and one run has none")
    func spread() throws {
        func figure(_ seconds: [Double]) throws -> String {
            let table = ReportTable(title: "", steps: ["work"], participants: [result("base", ["work": seconds])])
            return try #require(ReportCharts(table: table).figures.first)
        }
        // The bar ends at the median, half way to the longest run, which ends the axis.
        #expect(try figure([1, 2, 4]).contains("<polyline class=\"spread\" points=\"162.5,9.5 275.0,9.5\"/>"))
        #expect(try figure([1, 2, 4]).contains("width=\"75.0\""))
        #expect(try !figure([2]).contains("spread"))
    }

    @Test("A chart says that it is logarithmic, and marks its axis")
    func logarithmic() throws {
        let table = ReportTable(
            title: "", steps: ["work"], participants: [result("base", ["work": [1, 2, 4]]), result("other", ["work": [300, 400, 500]])])
        let figure = try #require(ReportCharts(table: table).figures.first)
        #expect(figure.contains("(× base, logarithmic)"))
        #expect(figure.contains("class=\"mark\""))
    }

    @Test("Costs over counts are drawn as a line for each participant, with its growth")
    func growth() throws {
        let tables = [100, 1_000].map { count in
            (count, ReportTable(title: "t", steps: ["work"], participants: [result("base", ["work": [Double(count) * Double(count)]])]))
        }
        let table = ReportTable(costs: tables) { _, count in count }
        let figure = try #require(ReportCharts(table: table).figures.first)
        #expect(figure.contains("<polyline class=\"line raw\""))
        #expect(figure.contains("base 10×"))
    }
}
