import Foundation
import StrataTestSupport

/// The Swift compiler, where there is one.
struct Compiler {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The path of the compiler; `nil` where no folder of commands has one.
    static let path: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/swiftc" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory("strata-coredata") }

    func file(_ name: String) -> String { folder.file(name) }

    func write(_ text: String, to name: String) throws {
        try text.write(toFile: file(name), atomically: true, encoding: .utf8)
    }

    /// Compiles in the folder, and answers what the compiler said.
    @discardableResult
    func compile(_ arguments: [String]) throws -> String { try run(Compiler.path ?? "swiftc", arguments + ["-I", folder.path]) }

    /// Runs a command in the folder, and answers what it wrote.
    @discardableResult
    func run(_ command: String, _ arguments: [String] = []) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: text) }
        return text
    }

    /// The symbols of some modules that what was compiled to a file of LLVM's text calls and does not have.
    func undefinedSymbols(_ name: String, containing parts: [String]) throws -> Set<String> {
        let text = try String(contentsOfFile: file(name), encoding: .utf8)
        let symbols = text.split(separator: "\n").filter { $0.hasPrefix("declare") }.compactMap { line -> String? in
            line.split(separator: "\"", maxSplits: 2).dropFirst().first.map(String.init)
        }
        return Set(
            symbols.filter { symbol in parts.contains(where: symbol.contains) && ["vg", "vs", "F"].contains(where: symbol.hasSuffix) })
    }
}
