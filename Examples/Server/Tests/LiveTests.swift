import AsyncHTTPClient
import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import Strata
import StrataInMemory
import StrataSQLite
import Testing

@testable import Server

/// Live updates, and how the server ends.
@Suite(.timeLimit(.minutes(5))) struct LiveTests {
    @Test("Listeners get the saves of routes, with the keys of deleted objects")
    func changes() async throws {
        let container = try PersistentContainer(for: Project.self, stores: [StoreDescription(.inMemory)])
        let feed = ChangeFeed(container)
        var changes = feed.subscribe().makeAsyncIterator()
        let application = application(container, feed, address: .hostname(port: 0), logger: .silent)
        let project = try await application.test(.router) { client in
            let project = try await client.send(.post, "/projects", #"{"name":"Strata"}"#, .created, ProjectBody.self)
            try await client.expect(.delete, "/projects/\(project.key)", nil, .noContent)
            return project.key
        }
        #expect(await changes.next() == [Change(entity: "Project", kind: .inserted, key: project)])
        #expect(await changes.next() == [Change(entity: "Project", kind: .deleted, key: project)])
    }

    @Test("Listeners get what another process saves to the same file")
    func remoteChanges() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "server-\(UUID()).sqlite").path
        defer { for file in [path, path + "-wal", path + "-shm"] { try? FileManager.default.removeItem(atPath: file) } }
        let container = try PersistentContainer(for: Project.self, stores: [StoreAddress.sqlite(path: path).store])
        let feed = ChangeFeed(container)
        var changes = feed.subscribe().makeAsyncIterator()
        let running = Task { try await feed.run() }
        // Another container is to this one what another process is.
        let other = try PersistentContainer(for: Project.self, stores: [StoreDescription(.sqlite, path: path)])
        let key = try await other.performBackgroundTask { context in
            let project = Project(name: "Strata")
            context.insert(project)
            try context.save()
            return project.key
        }
        #expect(await changes.next() == [Change(entity: "Project", kind: .inserted, key: key)])
        try await other.performBackgroundTask { context in
            try context.delete(Project.self)
            try context.save()
        }
        #expect(await changes.next() == [Change(entity: "Project", kind: .deleted, key: key)])
        running.cancel()
        try? await running.value
        try container.close()
        try other.close()
    }

    @Test("A listener that does not listen is dropped")
    func slowListeners() async throws {
        let container = try PersistentContainer(for: Project.self, stores: [StoreDescription(.inMemory)])
        let feed = ChangeFeed(container)
        let slow = feed.subscribe()
        let running = Task { try await feed.run() }
        try await container.performBackgroundTask { context in
            for number in 0...100 {
                context.insert(Project(name: "\(number)"))
                try context.save()
            }
        }
        var count = 0
        while feed.clientCount > 0 { await Task.yield() }
        for await _ in slow { count += 1 }
        #expect(count == 100)
        running.cancel()
        try? await running.value
    }

    @Test("Events are sent to clients as they happen; a shutdown ends their streams, and then closes the stores")
    func shutdown() async throws {
        let container = try PersistentContainer(for: Project.self, stores: [StoreDescription(.inMemory)])
        let application = application(container, ChangeFeed(container), address: .hostname(port: 0), logger: .silent)
        let received = try await application.test(.live) { client in
            let request = HTTPClientRequest(url: "http://localhost:\(try #require(client.port))/changes")
            let response = try await HTTPClient.shared.execute(request, timeout: .minutes(2))
            let (chunks, chunk) = AsyncStream.makeStream(of: String.self)
            let receiving = Task {
                defer { chunk.finish() }
                for try await buffer in response.body { chunk.yield(String(buffer: buffer)) }
            }
            var events = chunks.makeAsyncIterator()
            #expect(await events.next() == "event: ready\ndata: {}\n\n")
            try await client.expect(.post, "/projects", #"{"name":"Strata"}"#, .created)
            #expect(try #require(await events.next()).contains(#""kind":"inserted""#))
            return receiving
        }
        try await received.value
        #expect(container.coordinator.stores.isEmpty)
    }
}
