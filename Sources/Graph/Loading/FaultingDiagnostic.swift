/// A loop that fetches one object after the other from the stores.
///
/// Following a relationship of registered objects prefetches the destinations of all of them in a few round trips. That
/// fails where a loop fetches its objects one by one, or releases each before the next: then each step is a round trip
/// of its own. Fetch the objects at once, or name the relationship in
/// ``ObjectFetchRequest/relationshipKeyPathsForPrefetching``.
public struct FaultingDiagnostic: Sendable, Hashable, CustomStringConvertible {
    /// The number of single round trips from which on there is a diagnostic.
    public static let threshold = 32

    /// The name of the entity whose objects were fetched one by one, or whose relationship was followed.
    public let entity: String
    /// The name of the relationship that was followed; `nil` where objects were fetched by ID.
    public let relationship: String?
    /// How many round trips there were for one object each.
    public let roundTrips: Int

    public var description: String {
        guard let relationship else { return "\(roundTrips) objects of \(entity) were read one by one" }
        return "\(entity).\(relationship) was followed from \(roundTrips) objects one by one"
    }
}

extension ManagedObjectContext {
    /// The relationships and entities that this context fetched one object at a time, the most frequent first.
    ///
    /// They count from the context's creation, or from ``forgetFaultingDiagnostics()``; only round trips are counted.
    public var faultingDiagnostics: [FaultingDiagnostic] { loader.prefetcher.singleReads.diagnostics }

    /// Has the counts of ``faultingDiagnostics`` begin anew, as before the loop that is looked at.
    public func forgetFaultingDiagnostics() { loader.prefetcher.singleReads = SingleReads() }
}
