/// A loop that asks the stores for one object after the other.
///
/// Walking a relationship of objects that are here brings what all of them reference in a few round trips. A loop defeats that where it fetches its
/// objects one by one, or lets go of each before it has the next: then each step is a round trip of its own. Fetch the objects at once,
/// or name the relationship in ``ObjectFetchRequest/relationshipKeyPathsForPrefetching``.
public struct FaultingDiagnostic: Sendable, Hashable, CustomStringConvertible {
    /// From how many single round trips on there is a diagnostic.
    public static let threshold = 32

    /// The name of the entity whose objects were asked for one by one, or whose relationship was followed.
    public let entity: String
    /// The name of the relationship that was followed; `nil` where objects were asked for by ID.
    public let relationship: String?
    /// How many round trips there were for one object each.
    public let roundTrips: Int

    package init(entity: String, relationship: String?, roundTrips: Int) {
        self.entity = entity
        self.relationship = relationship
        self.roundTrips = roundTrips
    }

    public var description: String {
        guard let relationship else { return "\(roundTrips) objects of \(entity) were read one by one" }
        return "\(entity).\(relationship) was followed from \(roundTrips) objects one by one"
    }
}

extension ManagedObjectContext {
    /// The relationships, and the entities, of which this context asked its stores for one object at a time, often; the most frequent first.
    ///
    /// They count from when the context was made, or from ``forgetFaultingDiagnostics()``. Counting costs nothing but where there is a round trip.
    public var faultingDiagnostics: [FaultingDiagnostic] { loader.prefetcher.singleReads.diagnostics }

    /// Has the counts of ``faultingDiagnostics`` begin anew, as before the loop that is looked at.
    public func forgetFaultingDiagnostics() { loader.prefetcher.singleReads = SingleReads() }
}
