import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Strata

/// Closes the stores as the last service that ends.
struct Stores: Service {
    let container: PersistentContainer

    func run() async throws {
        try? await gracefulShutdown()
        try container.close()
    }
}

/// The routes over a container, and the services in the order in which they start; they end in the reverse order, the server first.
func application(
    _ container: PersistentContainer, _ feed: ChangeFeed, address: BindAddress, logger: Logger,
    onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
) -> some ApplicationProtocol {
    let router = Router()
    router.add(middleware: LogRequestsMiddleware(.info))
    router.add(middleware: ErrorMiddleware())
    router.get("health") { _, _ in
        _ = try await container.performBackgroundTask { context in try context.count(Project.self) }
        return HTTPResponse.Status.ok
    }
    ProjectRoutes(container: container).add(to: router)
    TicketRoutes(container: container).add(to: router)
    EventRoutes(feed: feed).add(to: router)
    var application = Application(
        router: router, configuration: .init(address: address), onServerRunning: onServerRunning, logger: logger)
    application.addServices(Stores(container: container), feed)
    return application
}
