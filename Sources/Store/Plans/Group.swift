public import StrataEvaluation
public import StrataModel
import StrataQuery

/// A group of objects with what was computed over it; groups of several stores combine.
public struct Group: Sendable {
    /// The values that the objects have in common, one per key.
    public let keys: [Value]
    /// What was computed, one per aggregate.
    public var partials: [AggregatePartial]

    /// Creates a group by the values of its keys, with what is known of its aggregates.
    public init(keys: [Value], partials: [AggregatePartial]) {
        self.keys = keys
        self.partials = partials
    }
}
