import ArgumentParser
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import Strata
import StrataInspector
import StrataStoreTool
import Synchronization
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
    @Option(help: "The kind of the store, where its file does not show it: sqlite, lmdb, binary, xml, postgresql.") var kind: StoreKind?
    @Option(help: "The schema of a store in a PostgreSQL database.") var schema: String?
    @Option(help: "The model: an .xcdatamodeld, .xcdatamodel, .momd or .mom, or another store; by default the one that the store keeps.")
    var model: String?
    @Option(name: .customLong("model-version"), help: "The version of the model; by default the current one.")
    var modelVersion: String?
    @Option(help: "The port; 0 for any free one.") var port = 8080
    @Flag(help: "Takes changes from requests that have the token which is printed.") var write = false
    @Flag(help: "Does not watch the store for changes of other processes.") var noLive = false

    func run() async throws {
        let stores = try openStore()
        let container = stores.container
        let token = write ? InspectorCommand.token() : nil
        var options = InspectorOptions(title: container.name, writeToken: token)
        options.reopen = stores.reopen
        // A store in one file replaces it with its own saves, and notices other files then.
        if !write || stores.isChangedInPlace { options.isCurrent = stores.isCurrent }
        let router = Router()
        Inspector(container, options: options).addRoutes(to: router)
        let logger = Logger(label: "strata-inspector") { _ in SwiftLogNoOpLogHandler() }
        var application = Application(
            router: router, server: .http1(configuration: .init(idleTimeout: InspectorCommand.idleTimeout)),
            configuration: .init(
                address: .hostname("127.0.0.1", port: port), serverName: "strata-inspector",
                availableConnectionsDelegate: MaximumAvailableConnections(InspectorCommand.greatestConnections(), logger: logger)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? 0
                FileHandle.standardOutput.write(Data("http://127.0.0.1:\(port)/\(token.map { "#token=\($0)" } ?? "")\n".utf8))
            }, logger: logger)
        application.addServices(stores)
        var services = ServiceGroupConfiguration(
            services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        services.maximumGracefulShutdownDuration = .seconds(5)
        try await ServiceGroup(configuration: services).run()
    }

    /// After which a connection is closed that sends no request, or no more of one.
    private static let idleTimeout = TimeAmount.seconds(10)

    /// Raises the number of files that the process may have open to the greatest one, and returns how many of them connections may have: the
    /// stores and the runtime need some, and it ends where it gets none.
    private static func greatestConnections() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 64 }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return min(1_024, max(8, (Int(clamping: limit.rlim_cur) - 64) / 2))
    }

    private func openStore() throws -> OpenStores {
        var description = try StoreDescription(readingStoreAt: store, kind: kind, schema: schema)
        let model = try self.model.map { try ModelSource($0, version: modelVersion).model() } ?? ModelSource.kept(by: description)
        description.isReadOnly = !write
        description.shouldMigrateStoreAutomatically = false
        description.options.postsRemoteChanges = !noLive
        let name = description.path.map { URL(filePath: $0).lastPathComponent } ?? "\(description.location)"
        do { return try OpenStores(name, model, description) } catch let error as StoreError
            where error.code == .unsupported && !noLive
        {
            description.options.postsRemoteChanges = false
            return try OpenStores(name, model, description)
        }
    }

    /// Returns 128 random bits.
    private static func token() -> String {
        var generator = SystemRandomNumberGenerator()
        let text = String(generator.next() as UInt64, radix: 16) + String(generator.next() as UInt64, radix: 16)
        return text
    }
}

/// The store; it is closed as the last service that ends.
private final class OpenStores: Service {
    /// A file on its disk.
    private struct FileIdentity: Equatable {
        let device: dev_t
        let file: ino_t

        /// Returns the identity of the file at a path; `nil` where there is none.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (device, file) = (status.st_dev, status.st_ino)
        }
    }

    let container: PersistentContainer
    private let description: StoreDescription
    /// The file that is open; `nil` for a server, and where the store could not be opened again.
    private let identity: Mutex<FileIdentity?>

    init(_ name: String, _ model: ManagedObjectModel, _ description: StoreDescription) throws {
        self.description = description
        identity = Mutex(description.path.flatMap(FileIdentity.init))
        container = try PersistentContainer(name: name, model: model, stores: [description])
    }

    /// Whether saves change the file, in place of replacing it.
    var isChangedInPlace: Bool { container.coordinator.stores.allSatisfy { !$0.capabilities.isAtomic } }

    /// Returns whether the open file is the one at the path of the store.
    func isCurrent() -> Bool {
        guard let path = description.path else { return true }
        let found = FileIdentity(path)
        return found != nil && found == identity.withLock(\.self)
    }

    /// Opens the store again, whose file was replaced.
    func reopen() throws {
        for store in container.coordinator.stores { try? container.coordinator.remove(store) }
        identity.withLock { $0 = nil }
        let found = description.path.flatMap(FileIdentity.init)
        do { try container.coordinator.addStore(description) } catch let error as StoreError where error.code == .exists {
            // Another request has opened it.
        }
        identity.withLock { $0 = found }
    }

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
