import Foundation
import StrataTestSupport

/// A run of the command `strata`: what it printed, and its exit code.
struct CommandRun {
    let status: Int32
    let output: String
    let errors: String

    /// Runs the command and waits for its end.
    ///
    /// - Parameters:
    ///   - executable: The program; `nil` for the command that was built.
    ///   - environment: The environment; `nil` for that of the tests.
    init(_ arguments: [String], input: String = "", executable: String? = nil, environment: [String: String]? = nil) throws {
        let process = Process()
        process.executableURL = URL(filePath: try executable ?? ChildProcess.executable("strata"))
        process.environment = environment
        process.arguments = arguments
        let (standardInput, standardOutput, standardError) = (Pipe(), Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = standardOutput
        process.standardError = standardError
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        output = String(decoding: try standardOutput.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        errors = String(decoding: try standardError.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }

    /// The lines of the output.
    var lines: [String] { output.split(separator: "\n").map(String.init) }
}

extension Shop {
    /// Runs the command while the folder of the shop stays.
    func run(_ arguments: String..., input: String = "") throws -> CommandRun { try CommandRun(arguments, input: input) }
}
