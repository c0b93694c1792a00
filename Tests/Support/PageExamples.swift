import Foundation

/// The examples of Swift code on a page of the project.
package struct PageExamples {
    package let all: [String]

    /// - Parameter path: The page's path from the root of the project.
    package init(onPage path: String) throws {
        let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { path, _ in path.deletingLastPathComponent() }
        let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        all = text.components(separatedBy: "```swift\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
    }

    /// The number of a guide's examples, and their lines that a file of code lacks.
    package static func ofGuide(_ name: String, in file: String = #filePath) throws -> (count: Int, missing: [String]) {
        let examples = try PageExamples(onPage: "Sources/Strata/Documentation.docc/Guides/\(name).md").all
        return (examples.count, try lines(of: examples, missingIn: file))
    }

    /// The lines of some examples that a file of code lacks, whatever their indentation.
    package static func lines(of examples: [String], missingIn file: String) throws -> [String] {
        func lines(_ text: String) -> [String] { text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) } }
        let code = Set(lines(try String(contentsOf: URL(fileURLWithPath: file), encoding: .utf8)))
        return examples.flatMap(lines).filter { !code.contains($0) }
    }
}
