import Foundation
import Strata
import Testing

@testable import StrataInspector

/// The command `strata-inspector` as a process.
@Suite("The command", .timeLimit(.minutes(5))) struct CommandTests {
    @Test(
        "The command serves a store that another process has made, and ends with an interrupt",
        arguments: [Kind.sqlite, .lmdb, .binary, .xml])
    func serving(kind: Kind) async throws {
        let library = try Library(kind)
        try library.container.close()
        let command = try CommandProcess(["\(library.folder)/library.\(kind)", "--port", "0"])
        let port = try #require(await command.port())
        #expect(try await Exchange(port, "GET /table.json?entity=Author HTTP/1.1", "Host: localhost").text.contains("Author 1"))
        #expect(try await Exchange(port, "POST /object HTTP/1.1", "Host: localhost", "Content-Length: 0").status == 403)
        #expect(command.end(SIGINT) == 0)
    }

    @Test("With --write the address has a token") func writing() async throws {
        let library = try Library()
        try library.container.close()
        let command = try CommandProcess(["\(library.folder)/library.sqlite", "--port", "0", "--write"])
        let address = try #require(await command.address())
        let token = try #require(address.split(separator: "#token=").dropFirst().first)
        #expect(token.count > 20)
        let port = try #require(URL(string: address)?.port)
        let body = "id=Author/p1&action=delete"
        for (line, status) in [("Authorization: Bearer \(token)", 303), ("X: y", 401)] {
            let head = "POST /object HTTP/1.1"
            let answer = try await Exchange(port, head, "Host: localhost", line, "Content-Length: \(body.utf8.count)", body: body)
            #expect(answer.status == status)
        }
        #expect(command.end(SIGTERM) == 0)
    }

    @Test(
        "A store that cannot be opened is an error with an exit code",
        arguments: [(["nothing.sqlite"], Int32(66), "error: "), ([], 64, "Error: "), (["--port", "x", "s"], 64, "Error: ")])
    func errors(arguments: [String], status: Int32, text: String) async throws {
        let command = try CommandProcess(arguments)
        #expect(command.end(nil) == status)
        #expect(command.errors.hasPrefix(text), "\(command.errors)")
    }
}

/// A running `strata-inspector`, which is beside the program of the tests.
final class CommandProcess {
    private let process = Process()
    private let output = Pipe()
    private let error = Pipe()

    init(_ arguments: [String]) throws {
        let tests = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        process.executableURL = tests.appending(path: "strata-inspector")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = error
        try process.run()
    }

    /// The address that the command prints when it serves; `nil` where it ends before.
    func address() async -> String? { await output.fileHandleForReading.parts(endedBy: UInt8(ascii: "\n")).first { _ in true } }

    func port() async -> Int? { await address().flatMap { URL(string: $0)?.port } }

    /// Ends the process by a signal, or waits for its end, and returns its exit code.
    func end(_ signal: Int32?) -> Int32 {
        if let signal { kill(process.processIdentifier, signal) }
        process.waitUntilExit()
        return process.terminationStatus
    }

    lazy var errors = String(decoding: (try? error.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)

    deinit { if process.isRunning { process.terminate() } }
}
