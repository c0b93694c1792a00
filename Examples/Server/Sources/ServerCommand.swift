import ArgumentParser
import Foundation
import Hummingbird
import Logging
import ServiceLifecycle
import Strata
import UnixSignals

@main struct ServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "server", abstract: "Projects and their tickets over HTTP.")

    @Option(help: "sqlite:PATH or postgresql://HOST/DATABASE") var store: StoreAddress
    @Option var host = "127.0.0.1"
    @Option var port = 8080

    func run() async throws {
        let logger = Logger(label: "server")
        // Opening migrates an older store and finishes interrupted saves, before there is a port to connect to.
        let container = try PersistentContainer(for: Project.self, stores: [store.store])
        container.coordinator.logger = logger
        let application = application(container, ChangeFeed(container), address: .hostname(host, port: port), logger: logger)
        var configuration = ServiceGroupConfiguration(
            services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        // Requests that still run then are cancelled; a save that was acknowledged is stored in any case.
        configuration.maximumGracefulShutdownDuration = .seconds(20)
        try await ServiceGroup(configuration: configuration).run()
    }
}
