/// A function over the values of a group or a collection; nil values do not count.
public enum AggregateFunction: String, Sendable, Hashable {
    /// The number of values that are not nil, or of objects without a path.
    case count
    /// The sum of the numbers; 0 without any.
    case sum
    /// The mean of the numbers; nil without any.
    case average
    /// The least and the greatest value; nil without any.
    case min, max
    /// The number of different values.
    case countDistinct
    /// The value in the middle, or the mean of the two there.
    case median
    /// The standard deviation of the population.
    case standardDeviation
}
