/// What the queries job measures, in this order.
package enum QueryStep: String, CaseIterable {
    /// Parse 10,000 typical predicates.
    case parse = "parse 10,000"
    /// Insert all events as a batch.
    case batchInsert = "batch insert"
    /// Ask 10,000 times for one event by its ID, through the whole stack.
    case byID = "by ID"
    /// Ask 10,000 times for one event by its unique title.
    case byKey = "by unique key"
    /// Count and sum of `rank` for each bucket.
    case group
    /// Count the details that contain a text, whatever its case.
    case search = "contains[c]"
    /// Add to the time of the events of 20 buckets, as a batch.
    case batchUpdate = "batch update"
    /// Delete the events of 20 buckets, as a batch.
    case batchDelete = "batch delete"

    /// What the step does, in a line for the readers of a report.
    package var explanation: String {
        switch self {
        case .parse: "parse 10,000 typical predicates"
        case .batchInsert: "insert all as a batch"
        case .byID: "ask 10,000 times for one object by its ID"
        case .byKey: "ask 10,000 times for one object by its unique title"
        case .group: "count and sum for each of the groups"
        case .search: "count the texts that contain another, whatever its case"
        case .batchUpdate: "add to a field of the objects of 20 groups, as a batch"
        case .batchDelete: "delete the objects of 20 groups, as a batch"
        }
    }
}

/// One way to ask queries of events.
///
/// One for each run, calls one after the other, in one process.
package protocol QueryParticipant: AnyObject {
    static var name: String { get }
    static var kind: ParticipantKind { get }
    /// The participant that ratios are taken to.
    static var reference: String { get }

    /// Opens a new store in an empty directory.
    init(directory: String) throws
    func close() throws
    /// - Returns: `nil` where the step is not offered.
    func perform(_ step: QueryStep, _ work: QueryWork) throws -> Answer?
}

/// What the steps ask for.
package struct QueryWork {
    package let events: [Event]
    /// The keys to look up.
    package let ids: [Int64]
    package let titles: [String]
    /// What `search` looks for.
    package let text = "FAB"

    package init(count: Int) {
        let work = EventWork(count: count)
        events = work.events()
        ids = Array(work.lookups.prefix(10_000))
        titles = ids.map { [events] in events[Int($0) - 1].title }
    }
}
