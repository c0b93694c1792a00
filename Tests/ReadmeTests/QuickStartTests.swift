import Foundation
import Testing

/// The README's quick start is the text of an executable of this package, so that it compiles as printed.
@Suite(.timeLimit(.minutes(60))) struct QuickStartTests {
    private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test func `The quick start of the README is the program that is compiled and run here`() throws {
        let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        let program = try String(contentsOf: root.appendingPathComponent("Tests/QuickStart/main.swift"), encoding: .utf8)
        let code = program.replacingOccurrences(of: "#if Macros\n", with: "").replacingOccurrences(of: "#endif\n", with: "")
        #expect(readme.contains("```swift\n\(code)```"))
    }

    #if Macros
        @Test func `The quick start runs and finds what it saved`() throws {
            let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            let process = Process()
            process.executableURL = try #require(Products.directory).appendingPathComponent("StrataQuickStart")
            process.currentDirectoryURL = directory
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            #expect(text == "[\"Ada has 1 pet(s)\"]\n[\"Rex\"]\n")
        }
    #endif
}

/// Where the build put the package's executables: beside the running test bundle.
private enum Products {
    static var directory: URL? {
        let candidates = CommandLine.arguments.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
        let bundle = candidates + [Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent()]
        return bundle.first { FileManager.default.isExecutableFile(atPath: $0.appendingPathComponent("StrataQuickStart").path) }
    }
}
