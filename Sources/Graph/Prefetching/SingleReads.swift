/// The round trips for single objects: loops that prefetching cannot help.
struct SingleReads {
    private struct Source: Hashable {
        let entity: String
        let relationship: String?
    }

    private var counts: [Source: Int] = [:]

    /// Counts a round trip; returns a diagnostic at the threshold, and each time that the count has doubled since.
    mutating func add(_ entity: String, _ relationship: String?) -> FaultingDiagnostic? {
        let source = Source(entity: entity, relationship: relationship)
        let count = (counts[source] ?? 0) + 1
        counts[source] = count
        let isReported = count >= FaultingDiagnostic.threshold && count.nonzeroBitCount == 1
        return isReported ? FaultingDiagnostic(entity: entity, relationship: relationship, roundTrips: count) : nil
    }

    var diagnostics: [FaultingDiagnostic] {
        counts.compactMap { source, count in
            count < FaultingDiagnostic.threshold
                ? nil : FaultingDiagnostic(entity: source.entity, relationship: source.relationship, roundTrips: count)
        }.sorted { ($1.roundTrips, $0.description) < ($0.roundTrips, $1.description) }
    }
}
