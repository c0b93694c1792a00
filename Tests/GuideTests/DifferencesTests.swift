import Foundation
import StrataConformance
import StrataHarnesses
import Testing

@Suite("The page of the differences from Core Data")
struct DifferencesTests {
    private static let path = "\(Page.guides)/DifferencesFromCoreData.md"

    @Test("Its tables are those of the divergences of the stores and of the symbols of Core Data")
    func tables() throws {
        let page = try Page(Self.path)
        let expected = try Self.filled(page.text, ["divergences": Self.divergences(), "symbols": Self.symbols()])
        if ProcessInfo.processInfo.environment["STRATA_UPDATE_PAGES"] == "1" {
            try expected.write(to: Page.root.appendingPathComponent(Self.path), atomically: true, encoding: .utf8)
        } else {
            #expect(page.text == expected)
        }
    }

    /// The text with the tables between their marks.
    private static func filled(_ text: String, _ tables: [String: [String]]) throws -> String {
        var lines: [Substring] = []
        var isInTable = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "<!-- end -->" { isInTable = false }
            if !isInTable { lines.append(line) }
            guard line.hasPrefix("<!-- "), line != "<!-- end -->" else { continue }
            lines += try #require(tables[String(line.dropFirst(5).dropLast(4))]).map { Substring($0) }
            isInTable = true
        }
        return lines.joined(separator: "\n")
    }

    private static func divergences() -> [String] {
        ["| store | case of the suite | reason |", "|---|---|---|"]
            + Divergence.known.map { "| \($0.store) | \($0.caseName) | \($0.reason) |" }
    }

    /// A row for all symbols of a type that differ for the same reason.
    private static func symbols() throws -> [String] {
        var rows: [(type: Substring, symbols: [Substring], status: Substring, note: Substring)] = []
        var type: Substring = ""
        for line in try Page("Sources/CoreData/Documentation.docc/Symbols.md").text.split(separator: "\n") {
            if line.hasPrefix("### ") { type = line.dropFirst(4) }
            let cells = line.split(separator: "|").map { $0.trimmingPrefix(" ") }.map { $0.hasSuffix(" ") ? $0.dropLast() : $0 }
            guard cells.count == 3, cells[1] == "works differently" || cells[1] == "unavailable" else { continue }
            if let known = rows.firstIndex(where: { $0.type == type && $0.status == cells[1] && $0.note == cells[2] }) {
                rows[known].symbols.append(cells[0])
            } else {
                rows.append((type, [cells[0]], cells[1], cells[2]))
            }
        }
        #expect(rows.count > 20)
        return ["| type | symbols | status | note |", "|---|---|---|---|"]
            + rows.map { "| \($0.type) | \($0.symbols.joined(separator: ", ")) | \($0.status) | \($0.note) |" }
    }
}
