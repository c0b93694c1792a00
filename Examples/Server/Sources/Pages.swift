import Foundation
import Hummingbird
import Strata

/// Some results, and where the next page begins; `nil` on the last one.
struct Page<Item: Codable & Sendable>: ResponseCodable {
    var items: [Item]
    var next: String?
}

/// Which page a client asks for: `?limit=20&after=…`, with what the page before gave as `next`.
struct PageQuery {
    var limit: Int
    var after: String?

    init(_ request: Request) throws {
        let parameters = request.uri.queryParameters
        limit = try parameters.get("limit").map { _ in try parameters.require("limit", as: Int.self) } ?? 20
        guard 1...100 ~= limit else { throw HTTPError(.badRequest, message: "limit is a number from 1 to 100") }
        after = parameters.get("after")
    }

    /// Makes a page of one more object than the limit, which tells whether there is a next page.
    func page<T: ManagedObject, Item>(
        _ objects: [T], _ item: (T) -> Item, cursor: (T) -> String
    ) -> Page<Item> {
        let page = objects.prefix(limit)
        return Page(items: page.map(item), next: objects.count > limit ? page.last.map(cursor) : nil)
    }
}

/// The position of a ticket in the order of the list: what an offset would count, a condition finds in the index.
struct TicketCursor {
    var created: Date
    var key: UUID

    init(_ ticket: Ticket) { (created, key) = (ticket.created, ticket.key) }

    init(_ text: String) throws {
        let parts = text.split(separator: "_", maxSplits: 1)
        guard let seconds = parts.first.flatMap({ UInt64($0) }), let key = parts.last.flatMap({ UUID(uuidString: String($0)) }) else {
            throw HTTPError(.badRequest, message: "after is not the next of a page")
        }
        (created, self.key) = (Date(timeIntervalSinceReferenceDate: Double(bitPattern: seconds)), key)
    }

    /// The date as its bits, since a text with whole seconds would not be the stored date.
    var text: String { "\(created.timeIntervalSinceReferenceDate.bitPattern)_\(key)" }

    var isAfter: ObjectPredicate<Ticket> { Ticket.created > created || (Ticket.created == created && Ticket.key > key) }
}
