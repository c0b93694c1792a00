public import StrataEvaluation
public import StrataModel

/// A group of objects with its aggregates; groups of several stores combine.
public struct Group: Sendable {
    /// The common values of the objects, one per key.
    public let keys: [Value]
    /// The partial aggregates.
    public var partials: [AggregatePartial]

    /// Creates a group from the values of its keys and its partial aggregates.
    public init(keys: [Value], partials: [AggregatePartial]) {
        self.keys = keys
        self.partials = partials
    }
}
