import Foundation
import Hummingbird
import ServiceLifecycle

/// `/changes`: server-sent events, one for each save.
struct EventRoutes: Sendable {
    let feed: ChangeFeed

    func add(to router: Router<BasicRequestContext>) {
        router.get("changes", use: changes)
    }

    /// Streams until the client disconnects or the server shuts down.
    ///
    /// A client reads what it shows after `ready`: it gets every change from then on.
    @Sendable func changes(_ request: Request, _: BasicRequestContext) -> Response {
        let changes = feed.subscribe()
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    try await writer.write(ByteBuffer(string: "event: ready\ndata: {}\n\n"))
                    for await changes in changes.cancelOnGracefulShutdown() {
                        let json = String(decoding: try JSONEncoder().encode(changes), as: UTF8.self)
                        try await writer.write(ByteBuffer(string: "event: changes\ndata: \(json)\n\n"))
                    }
                }
                try await writer.finish(nil)
            })
    }
}
