import ArgumentParser
import Foundation
import Hummingbird
import Logging
import ServiceLifecycle
import Strata
import StrataInspector
import StrataStoreTool
import UnixSignals

/// The command `strata-inspector`, which `strata serve` runs.
struct InspectorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "strata-inspector", abstract: "Shows a store in a web browser, on this machine alone.",
        discussion: """
            The store is opened with the model that it keeps, or with --model, and only read unless --write is given. The pages are at \
            http://127.0.0.1:PORT/ until the command is interrupted. Other users of this machine can read them, too.
            """)

    @Argument(help: "The store: a path, or the URL of a PostgreSQL database.", completion: .file()) var store: String
    @Option(help: "The kind of the store, where its file does not tell it: sqlite, lmdb, binary, xml, postgresql.") var kind: StoreKind?
    @Option(help: "The schema of a store in a PostgreSQL database.") var schema: String?
    @Option(help: "The model: an .xcdatamodeld, .xcdatamodel, .momd or .mom, or another store; by default the one that the store keeps.")
    var model: String?
    @Option(name: .customLong("model-version"), help: "The version of the model; the current one unless said otherwise.")
    var modelVersion: String?
    @Option(help: "The port; 0 for any free one.") var port = 8080
    @Flag(help: "Takes changes from requests that have the token which is printed.") var write = false
    @Flag(help: "Does not watch the store for changes of other processes.") var noLive = false

    func run() async throws {
        let container = try openStore()
        let token = write ? InspectorCommand.token() : nil
        let options = InspectorOptions(title: container.name, writeToken: token)
        let router = Router()
        Inspector(container, options: options).addRoutes(to: router)
        let logger = Logger(label: "strata-inspector") { _ in SwiftLogNoOpLogHandler() }
        var application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: "strata-inspector"),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? 0
                FileHandle.standardOutput.write(Data("http://127.0.0.1:\(port)/\(token.map { "#token=\($0)" } ?? "")\n".utf8))
            }, logger: logger)
        application.addServices(OpenStores(container: container))
        var services = ServiceGroupConfiguration(
            services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        services.maximumGracefulShutdownDuration = .seconds(5)
        try await ServiceGroup(configuration: services).run()
    }

    private func openStore() throws -> PersistentContainer {
        var description = try StoreDescription(readingStoreAt: store, kind: kind, schema: schema)
        let model = try self.model.map { try ModelSource($0, version: modelVersion).model() } ?? ModelSource.kept(by: description)
        description.isReadOnly = !write
        description.shouldMigrateStoreAutomatically = false
        description.options.postsRemoteChanges = !noLive
        let name = description.path.map { URL(filePath: $0).lastPathComponent } ?? "\(description.location)"
        do { return try PersistentContainer(name: name, model: model, stores: [description]) } catch let error as StoreError
            where error.code == .unsupported && !noLive
        {
            description.options.postsRemoteChanges = false
            return try PersistentContainer(name: name, model: model, stores: [description])
        }
    }

    /// Returns 128 random bits.
    private static func token() -> String {
        var generator = SystemRandomNumberGenerator()
        let text = String(generator.next() as UInt64, radix: 16) + String(generator.next() as UInt64, radix: 16)
        return text
    }
}

/// Closes the stores as the last service that ends.
private struct OpenStores: Service {
    let container: PersistentContainer

    func run() async throws {
        try? await gracefulShutdown()
        try container.close()
    }
}

@main enum Program {
    static func main() async {
        let command: any ParsableCommand
        do { command = try InspectorCommand.parseAsRoot() } catch { InspectorCommand.exit(withError: error) }
        do {
            if let command = command as? InspectorCommand {
                try await command.run()
            } else {
                var command = command
                try command.run()
            }
        } catch {
            // The help is an error of success.
            if error is ExitCode || InspectorCommand.exitCode(for: error) == .success { InspectorCommand.exit(withError: error) }
            let failure = CommandFailure(error)
            FileHandle.standardError.write(Data("error: \(failure.message)\n".utf8))
            exit(failure.status.rawValue)
        }
    }
}
