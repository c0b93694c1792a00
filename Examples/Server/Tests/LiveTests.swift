import Foundation
import Hummingbird
import Strata
import StrataSQLite
import StrataTesting
import Testing

@testable import Server

/// Live updates, and how the server ends.
@Suite(.timeLimit(.minutes(5))) struct LiveTests {
    @Test("Listeners get the saves of routes, with the keys of deleted objects")
    func changes() async throws {
        let container = try PersistentContainer(inMemory: Project.self)
        let feed = ChangeFeed(container)
        var changes = feed.subscribe().makeAsyncIterator()
        try await withServer(container, feed) { client in
            let project = try await client.send(.post, "/projects", #"{"name":"Strata"}"#, .created, ProjectBody.self)
            #expect(await changes.next() == [Change(entity: "Project", kind: .inserted, key: project.key)])
            try await client.expect(.delete, "/projects/\(project.key)", nil, .noContent)
            #expect(await changes.next() == [Change(entity: "Project", kind: .deleted, key: project.key)])
        }
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
        let container = try PersistentContainer(inMemory: Project.self)
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
        let container = try PersistentContainer(inMemory: Project.self)
        let rest = try await withServer(container, ChangeFeed(container)) { client in
            let stream = try client.events("/changes")
            var events = stream.makeAsyncIterator()
            #expect(try await events.next() == "event: ready\ndata: {}")
            try await client.expect(.post, "/projects", #"{"name":"Strata"}"#, .created)
            #expect(try #require(try await events.next()).contains(#""kind":"inserted""#))
            return stream
        }
        for try await event in rest { Issue.record("another event: \(event)") }
        #expect(container.coordinator.stores.isEmpty)
    }
}
