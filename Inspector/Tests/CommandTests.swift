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

    @Test("A store whose file was replaced, or away for a moment, is opened again", arguments: [Kind.sqlite, .lmdb, .binary, .xml])
    func replacing(kind: Kind) async throws {
        let (library, other) = (try Library(kind), try Library(kind, authors: 2))
        try library.container.close()
        try other.container.close()
        let path = "\(library.folder)/library.\(kind)"
        let command = try CommandProcess([path, "--port", "0"])
        let port = try #require(await command.port())
        func answer() async throws -> Exchange { try await Exchange(port, "GET /table.json?entity=Author HTTP/1.1", "Host: localhost") }
        #expect(try await answer().text.contains("Author 3"))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        #expect(try await answer().status != 200)
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        #expect(try await answer().text.contains("Author 3"))
        try FileManager.default.copyItem(atPath: "\(other.folder)/library.\(kind)", toPath: path + ".new")
        #expect(rename(path + ".new", path) == 0)
        let replaced = try await answer()
        #expect(replaced.status == 200)
        #expect(!replaced.text.contains("Author 3"))
        #expect(command.end(SIGINT) == 0)
    }

    @Test("Connections that send nothing are closed, and do not end the server") func idleConnections() async throws {
        let library = try Library()
        try library.container.close()
        let command = try CommandProcess(["\(library.folder)/library.sqlite", "--port", "0"], fileLimit: 128)
        let port = try #require(await command.port())
        let sockets = (0..<100).map { _ in Self.connect(port) }
        for socket in sockets { _ = send(socket, "GET /", 5, Int32(MSG_NOSIGNAL)) }
        // It is answered when the server has closed the first ones.
        #expect(try await Exchange(port, "GET / HTTP/1.1", "Host: localhost").status == 200)
        for socket in sockets { close(socket) }
        #expect(try await Exchange(port, "GET / HTTP/1.1", "Host: localhost").status == 200)
        #expect(command.end(SIGINT) == 0)
    }

    private static func connect(_ port: Int) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return descriptor
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

    /// Starts the command.
    ///
    /// - Parameter fileLimit: The greatest number of open files; `nil` for that of the tests.
    init(_ arguments: [String], fileLimit: Int? = nil) throws {
        let tests = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        process.executableURL = tests.appending(path: "strata-inspector")
        process.arguments = arguments
        if let fileLimit, let path = process.executableURL?.path {
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", "ulimit -n \(fileLimit); exec \"$0\" \"$@\"", path] + arguments
        }
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
