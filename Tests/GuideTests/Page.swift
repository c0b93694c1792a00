import Foundation

/// A page of documentation: its text, its code, and its links.
struct Page: Sendable, CustomStringConvertible {
    static let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { path, _ in path.deletingLastPathComponent() }
    static let guides = "Sources/Strata/Documentation.docc/Guides"
    /// The folders of the examples, which are a package of their own.
    static let examples = ["Examples/Notebook", "Examples/Server", "Examples/Federation"]

    /// From the root of the package.
    let path: String
    let text: String

    init(_ path: String) throws {
        self.path = path
        text = try String(contentsOf: Page.root.appendingPathComponent(path), encoding: .utf8)
    }

    var description: String { path }

    static func all() throws -> [Page] {
        let stores = try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("Backends").path)
            .map { "Backends/\($0)/README.md" }
            .filter { FileManager.default.fileExists(atPath: root.appendingPathComponent($0).path) }
        let others = [
            "README.md", "CONTRIBUTING.md", "Sources/Strata/Documentation.docc/Glossary.md", "Examples/README.md", "Inspector/README.md",
        ]
        return try (others + (try files(under: guides, ending: ".md")) + stores.sorted() + examples.map { "\($0)/README.md" }).map(
            Page.init)
    }

    static func files(under folder: String, ending suffix: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(folder).path)
            .filter { $0.hasSuffix(suffix) }.map { "\(folder)/\($0)" }.sorted()
    }

    /// The lines of a text without their indentation, but for the empty ones.
    static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    var blocks: [String] {
        text.components(separatedBy: "```swift\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
    }

    /// The source files that the text and its diagrams name by their paths from the root of the package.
    var sourcePaths: Set<Substring> {
        let words = text.split { !$0.isASCII || !($0.isLetter || $0.isNumber || "_+/.-".contains($0)) }
        let folders = ["Sources/", "Backends/", "Tests/", "Inspector/"]
        return Set(words.filter { word in word.hasSuffix(".swift") && folders.contains { word.hasPrefix($0) } })
    }

    /// The files that links in the text lead to, without those of the web and of the documentation.
    var fileLinks: [URL] {
        let folder = Page.root.appendingPathComponent(path).deletingLastPathComponent()
        let prose = text.components(separatedBy: "```").enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined()
        return prose.components(separatedBy: "](").dropFirst().compactMap { rest -> URL? in
            guard let target = rest.components(separatedBy: ")").first, !target.contains(":"), !target.hasPrefix("#") else { return nil }
            return folder.appendingPathComponent(target.components(separatedBy: "#")[0])
        }
    }
}
