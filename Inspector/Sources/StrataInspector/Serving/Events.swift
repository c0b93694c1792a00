import Hummingbird
import ServiceLifecycle
import Strata
import StrataStoreTool

extension Inspector {
    /// Streams the saves from now on as server-sent events, until the client disconnects or the server shuts down: those of this process and,
    /// where the store posts remote changes, of other processes.
    ///
    /// - Throws: `PageError` where too many clients listen.
    func events(_ request: Request) throws -> Response {
        try listeners.begin()
        let (saves, client) = AsyncStream.makeStream(of: JSON.self, bufferingPolicy: .bufferingOldest(100))
        let subscription = container.coordinator.observeSaves { event in
            // A client that is a hundred saves behind connects again, and reads everything anew.
            if case .dropped = client.yield(JSON(event)) { client.finish() }
        }
        let listening = Listening(subscription, listeners)
        return Response(
            status: .ok, headers: .guarded("text/event-stream"),
            body: ResponseBody { writer in
                defer { listening.end() }
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    try await writer.write(ByteBuffer(string: "event: ready\ndata: {}\n\n"))
                    for await save in saves.cancelOnGracefulShutdown() {
                        try await writer.write(ByteBuffer(string: "event: save\ndata: \(save.line)\n\n"))
                    }
                }
                try await writer.finish(nil)
            })
    }
}

/// A client that listens for changes, until it is released at the latest.
private final class Listening: Sendable {
    private let subscription: SaveEventSubscription
    private let count: WorkCount

    init(_ subscription: SaveEventSubscription, _ count: WorkCount) { (self.subscription, self.count) = (subscription, count) }

    deinit { count.end() }

    func end() { subscription.cancel() }
}

extension JSON {
    /// Creates the summary of a save: the entities of changed objects and the numbers of changes.
    fileprivate init(_ event: SaveEvent) {
        let objects = event.stores.flatMap { $0.inserted + $0.updated + $0.deleted }
        func count(_ list: KeyPath<SaveEvent.StoreChanges, [SavedObject]>) -> JSON {
            .int(Int64(event.stores.reduce(0) { $0 + $1[keyPath: list].count }))
        }
        self = .object([
            "number": .int(Int64(event.number)), "isRemote": .bool(event.isRemote), "author": JSON(event.origin.author),
            "entities": .array(Set(objects.map(\.id.entity.name)).sorted().map { .string($0) }), "inserted": count(\.inserted),
            "updated": count(\.updated), "deleted": count(\.deleted),
        ])
    }
}
