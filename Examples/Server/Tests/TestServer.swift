import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Strata

@testable import Server

/// Runs the server on a free port for the duration of `body`, and shuts it down as a signal does.
func withServer<T>(_ container: PersistentContainer, _ feed: ChangeFeed, _ body: (Client) async throws -> T) async throws -> T {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
    let application = application(container, feed, address: .hostname(port: 0), logger: logger) { channel in
        if let number = channel.localAddress?.port { port.yield(number) }
    }
    let services = ServiceGroup(services: [application], logger: logger)
    let running = Task {
        defer { port.finish() }
        try await services.run()
    }
    let result: Result<T, any Error>
    do {
        guard let number = await ports.first(where: { _ in true }) else { throw ServerEnded() }
        result = .success(try await body(Client(port: number)))
    } catch { result = .failure(error) }
    await services.triggerGracefulShutdown()
    try await running.value
    return try result.get()
}

/// The server ended before it listened to a port.
struct ServerEnded: Error {}
