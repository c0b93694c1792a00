import Foundation
import StrataTestSupport
import Testing

/// The pages that users read: the README, the guides, and the pages of the stores and of the examples.
@Suite(.timeLimit(.minutes(60))) struct PageTests {
    @Test("Every block of Swift code on a page is code of a test or of an example, line by line", arguments: try Page.all())
    func code(_ page: Page) throws {
        let sources = try TestSources.shared.get()
        for block in page.blocks where !block.contains("import PackageDescription") {
            // The condition alone: a failure would print all sources.
            if !sources.contains(block) { Issue.record("\(page.path): no test and no example has the block\n\(block)") }
        }
    }

    @Test("Every link to a file identifies one file", arguments: try Page.all())
    func links(_ page: Page) {
        for link in page.fileLinks {
            #expect(FileManager.default.fileExists(atPath: link.path), "\(page.path): \(link.path)")
        }
    }

    @Test("Every source file that a page names exists", arguments: try Page.all())
    func sources(_ page: Page) {
        for path in page.sourcePaths {
            #expect(FileManager.default.fileExists(atPath: Page.root.appendingPathComponent(String(path)).path), "\(page.path): \(path)")
        }
    }

    @Test("The pages of the phases of a save and of a fetch name their files", arguments: ["HowASaveWorks", "HowAFetchWorks"])
    func phases(_ name: String) throws {
        #expect(try Page("\(Page.guides)/\(name).md").sourcePaths.count >= 20)
    }

    @Test("The README has at most 9,000 characters")
    func length() throws {
        #expect(try Page("README.md").text.count <= 9_000)
    }
}

/// The code of all tests and examples, as one text per file, without indentation and empty lines.
private enum TestSources {
    struct Sources: Sendable {
        let files: [String]

        /// Whether the lines of a block follow each other in a file.
        ///
        /// Imports stand at the top of a file.
        func contains(_ block: String) -> Bool {
            let code = Page.lines(block).filter { !$0.hasPrefix("import ") }.joined(separator: "\n")
            return files.contains { $0.contains("\n\(code)\n") }
        }
    }

    static let shared = Result {
        let tests = try ["Tests", "Backends", "Inspector/Tests"].flatMap { try Page.files(under: $0, ending: ".swift") }
            .filter { $0.contains("Tests/") }
        let paths = try tests + Page.examples.flatMap { try Page.files(under: "\($0)/Sources", ending: ".swift") }
        return Sources(
            files: try paths.map { path in
                "\n" + Page.lines(try String(contentsOf: Page.root.appendingPathComponent(path), encoding: .utf8)).joined(separator: "\n")
                    + "\n"
            })
    }
}
