import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Strata
import Testing

@testable import StrataInspector

/// The inspector over a socket, as a server mounts it.
@Suite("Server", .timeLimit(.minutes(5))) struct ServerTests {
    /// Serves a library on a free port for the duration of `body`.
    static func serve<T>(_ library: Library, at path: RouterPath = "", _ body: (Int) async throws -> T) async throws -> T {
        let router = Router()
        library.inspector.addRoutes(to: router.group(path))
        return try await serve(router, body)
    }

    private static func serve<T>(_ router: Router<BasicRequestContext>, _ body: (Int) async throws -> T) async throws -> T {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in if let number = channel.localAddress?.port { port.yield(number) } }, logger: logger)
        let services = ServiceGroup(services: [application], logger: logger)
        let running = Task {
            defer { port.finish() }
            try await services.run()
        }
        let result: Result<T, any Error>
        do { result = .success(try await body(try #require(await ports.first { _ in true }))) } catch { result = .failure(error) }
        await services.triggerGracefulShutdown()
        try await running.value
        return try result.get()
    }

    @Test("Pages are served at a path of another server") func mounted() async throws {
        let library = try Library(options: InspectorOptions(path: "/db"))
        try await ServerTests.serve(library, at: "db") { port async throws in
            for path in ["/db", "/db/", "/db/table?entity=Author", "/db/index.json", "/db/style.css"] {
                #expect(try await Exchange(port, "GET \(path) HTTP/1.1", "Host: localhost").status == 200)
            }
            #expect(try await Exchange(port, "GET /table?entity=Author HTTP/1.1", "Host: localhost").status == 404)
        }
    }

    /// The authentication of the guide's server.
    private struct Administrators<Context: RequestContext>: RouterMiddleware {
        func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
            guard request.headers[.authorization] == "Basic YTpi" else { throw HTTPError(.unauthorized) }
            return try await next(request, context)
        }
    }

    @Test("A server mounts the inspector behind its own authentication") func guide() async throws {
        let library = try Library()
        let (container, router) = (library.container, Router())
        var options = InspectorOptions(title: "Library", path: "/inspector", hosts: .named(["library.example"]))
        options.timeLimit = .seconds(3)
        let group = router.group("inspector").add(middleware: Administrators())
        Inspector(container, options: options).addRoutes(to: group)
        try await ServerTests.serve(router) { port async throws in
            let line = "GET /inspector/table?entity=Author HTTP/1.1"
            #expect(try await Exchange(port, line, "Host: library.example").status == 401)
            let answer = try await Exchange(port, line, "Host: library.example", "Authorization: Basic YTpi")
            #expect(answer.text.contains("Author 1"))
            #expect(answer.text.contains("href=\"/inspector/style.css\""))
            #expect(try await Exchange(port, line, "Host: localhost", "Authorization: Basic YTpi").status == 421)
        }
    }

    @Test("A name that resolves to this machine is refused") func rebinding() async throws {
        try await ServerTests.serve(Library()) { port async throws in
            let line = "GET /table.json?entity=Author HTTP/1.1"
            #expect(try await Exchange(port, line, "Host: evil.example:\(port)").status == 421)
            #expect(try await Exchange(port, line, "Host: localhost:\(port)").text.contains("Author 1"))
            #expect(try await Exchange(port, "DELETE /object?id=Author/p1 HTTP/1.1", "Host: localhost").status == 404)
            #expect(try await Exchange(port, "HEAD / HTTP/1.1", "Host: localhost").text.hasSuffix("\r\n\r\n"))
        }
    }

    @Test("Saves are sent as events to who listens, and a shutdown ends that") func events() async throws {
        let library = try Library()
        let received = Task<[String], any Error> {
            try await ServerTests.serve(library) { port async throws in
                try await Exchange.lines(port, "GET /events HTTP/1.1", "Host: localhost") { line in
                    if line == "event: ready" {
                        try await library.container.performBackgroundTask { context in
                            try context.insert("Author").setValue(99, forKey: "number")
                            try context.save()
                        }
                    }
                    return line.hasPrefix("data: {\"author\"")
                }
            }
        }
        let data = try #require(try await received.value.last)
        #expect(data.contains(#""entities":["Author"],"inserted":1,"isRemote":false"#))
    }

    @Test("A shutdown ends the streams of events") func shutdown() async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let listening = Task {
            for await port in ports {
                return try await Exchange.lines(port, "GET /events HTTP/1.1", "Host: localhost") { _ in false }
            }
            return []
        }
        try await ServerTests.serve(Library()) { number in
            port.yield(number)
            // The first bytes of the stream are sent when the client listens.
            _ = try await Exchange.lines(number, "GET /events HTTP/1.1", "Host: localhost") { $0 == "event: ready" }
        }
        port.finish()
        _ = try? await listening.value
    }
}

/// A request in the bytes of HTTP, and what a server answers until it closes the connection.
struct Exchange {
    let status: Int
    let text: String

    /// Sends the lines of a request.
    init(_ port: Int, _ lines: String..., body: String = "") async throws {
        var text = ""
        try await Exchange.run(port, lines + ["Connection: close"], body: body) { part in
            text += part
            return false
        }
        self.text = text
        status = Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0
    }

    /// Sends the lines of a request, and returns the lines of the answer until one ends it.
    static func lines(_ port: Int, _ lines: String..., until isLast: (String) async throws -> Bool) async throws -> [String] {
        var (found, rest): ([String], String) = ([], "")
        try await run(port, lines) { part in
            rest += part
            while let end = rest.firstIndex(where: \.isNewline) {
                found.append(String(rest[..<end]))
                rest.removeSubrange(...end)
                if try await isLast(found[found.count - 1]) { return true }
            }
            return false
        }
        return found
    }

    private static func run(_ port: Int, _ lines: [String], body: String = "", _ receive: (String) async throws -> Bool) async throws {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: "127.0.0.1", port: port) {
            channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
        try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: lines.map { $0 + "\r\n" }.joined() + "\r\n" + body))
            for try await buffer in inbound { if try await receive(String(buffer: buffer)) { return } }
        }
    }
}
