import Testing

@testable import StrataBench

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

    @Test("All ratios of a chart are to one participant, which its caption names")
    func base() throws {
        let table = ReportTable(
            title: "", steps: ["work"],
            participants: [result("base", ["work": [1, 2, 3]]), result("other", to: "other", ["work": [6, 8, 9]])])
        let figure = try #require(ReportCharts(table: table).figures.first)
        #expect(figure.contains("<b>work</b> <small>(× base)</small>"))
        #expect(figure.contains("8.00 s · 4.00×"))
    }

    @Test("A chart whose first participant took no part has the next one that ratios are to as its base")
    func otherBase() {
        let table = ReportTable(
            title: "", steps: ["work"],
            participants: [result("base", [:]), result("own", ["work": [3]]), result("copy", to: "copy", ["work": [1]])])
        #expect(table.base("work")?.name == "copy")
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
