import Foundation
import StrataTestSupport
import Testing

@Suite("The guide to the command line") struct GuideSessionTests {
    /// A command of the guide, and the lines that it prints there.
    struct Step {
        let command: String
        var lines: [String]
    }

    private static func steps() throws -> [Step] {
        let root = (0..<3).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }
        let page = try String(contentsOf: root.appending(path: "Sources/Strata/Documentation.docc/Guides/CommandLine.md"), encoding: .utf8)
        var steps: [Step] = []
        for block in page.components(separatedBy: "```\n").filter({ $0.hasPrefix("$ ") }) {
            for line in block.split(separator: "\n") {
                if line.hasPrefix("$ ") {
                    steps.append(Step(command: String(line.dropFirst(2)), lines: []))
                } else {
                    steps[steps.count - 1].lines.append(String(line))
                }
            }
        }
        return steps
    }

    /// Runs a line of a shell in a folder, and returns what it prints, errors too.
    private static func shell(_ line: String, in folder: String) throws -> [String] {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        let binary = URL(filePath: try ChildProcess.executable("strata")).deletingLastPathComponent().path
        process.arguments = ["-c", "PATH=\(binary):$PATH; \(line)"]
        process.currentDirectoryURL = URL(filePath: folder)
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("The session prints what the guide shows") func session() throws {
        let (shop, other) = (try Shop(), try Shop())
        try FileManager.default.copyItem(atPath: other.path, toPath: shop.directory.file("other.sqlite"))
        let steps = try Self.steps()
        #expect(steps.count == 7)
        // IDs and sizes are those of a store.
        func fixed(_ lines: [String]) -> [String] { lines.filter { !$0.hasPrefix("ID ") && !$0.hasPrefix("size ") } }
        for step in steps {
            #expect(fixed(try Self.shell(step.command, in: shop.directory.path)) == fixed(step.lines), "\(step.command)")
        }
    }
}
