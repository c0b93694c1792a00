import Strata

/// The objects of a request, page by page.
///
/// Without an order each page begins behind the ID of the last object, and nothing else is held. With an order, or of several stores, the
/// IDs of all are.
struct ResultPages {
    private static let size = 1_000

    private let request: ObjectFetchRequest<ManagedObject>
    private let context: ManagedObjectContext
    /// Whether the results are in the order of their IDs, which those of one store have.
    private let isByID: Bool

    init(_ request: ObjectFetchRequest<ManagedObject>, _ context: ManagedObjectContext) {
        self.request = request
        self.context = context
        isByID = request.sort.isEmpty && context.persistentStoreCoordinator?.stores.count == 1
    }

    /// Calls a block with each object.
    ///
    /// - Throws: What the store throws, and the block.
    func forEach(_ body: (ManagedObject) throws -> Void) throws {
        if isByID { return try forEachPage(context.fetch, id: \.objectID) { for object in $0 { try body(object) } } }
        var request = request
        request.fetchBatchSize = ResultPages.size
        for object in try context.fetchLazily(request) { try body(object) }
    }

    /// Calls a block with the IDs of each page.
    ///
    /// - Throws: As ``forEach(_:)``.
    func forEachPageOfIDs(_ body: ([ObjectID]) throws -> Void) throws {
        if isByID { return try forEachPage(context.fetchObjectIDs, id: \.self, body) }
        let ids = try context.fetchObjectIDs(request)
        for start in stride(from: 0, to: ids.count, by: ResultPages.size) {
            try body(Array(ids[start..<min(ids.count, start + ResultPages.size)]))
        }
    }

    private func forEachPage<Result>(
        _ fetch: (ObjectFetchRequest<ManagedObject>) throws -> [Result], id: (Result) -> ObjectID, _ body: ([Result]) throws -> Void
    ) throws {
        var page = request
        var left = request.limit ?? .max
        while left > 0 {
            let size = min(left, ResultPages.size)
            page.limit = size
            let results = try fetch(page)
            if !results.isEmpty { try body(results) }
            guard results.count == size, let last = results.last else { return }
            left -= size
            page.offset = 0
            let behind = try QueryPredicate(format: "SELF > %@", Value.objectID(id(last)))
            page.predicate = request.predicate.map { behind && $0 } ?? behind
        }
    }
}
