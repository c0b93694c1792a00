import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Strata
import StrataOperations

/// The routes over a container, and the services in the order in which they start; they end in the reverse order, the server first.
func application(
    _ container: PersistentContainer, _ feed: ChangeFeed, address: BindAddress, logger: Logger,
    onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
) -> some ApplicationProtocol {
    let router = Router()
    router.add(middleware: LogRequestsMiddleware(.info))
    router.add(middleware: ErrorMiddleware())
    router.get("health") { _, _ -> HTTPResponse.Status in
        // Memory alone: a probe does not wait for a connection.
        let stores = container.coordinator.health
        return !stores.isEmpty && stores.allSatisfy { $0.isOpen && $0.isWritable } ? .ok : .serviceUnavailable
    }
    ProjectRoutes(container: container).add(to: router)
    TicketRoutes(container: container).add(to: router)
    EventRoutes(feed: feed).add(to: router)
    var application = Application(
        router: router, configuration: .init(address: address), onServerRunning: onServerRunning, logger: logger)
    application.addServices(StoreService(container, logger: logger), feed)
    return application
}
