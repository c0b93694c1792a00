import Foundation
import StrataTestSupport

/// A run of the command `strata`: what it printed, and its exit code.
struct CommandRun {
    let status: Int32
    let output: String
    let errors: String

    /// Runs the command and waits for its end.
    init(_ arguments: [String], input: String = "") throws {
        let process = Process()
        process.executableURL = URL(filePath: try ChildProcess.executable("strata"))
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
