/// What a step found: how many rows, and a checksum over them that does not depend on their order.
///
/// Two participants agree on a step if their answers are equal.
@frozen
public struct Answer: Sendable, Equatable, Codable {
    /// How many rows there are.
    public var count: Int
    /// The wrapping sum of the rows' checksums.
    public var checksum: UInt64

    /// Creates an answer; by default that of no row.
    @inlinable
    public init(count: Int = 0, checksum: UInt64 = 0) {
        self.count = count
        self.checksum = checksum
    }

    /// Adds one row by the values that `body` adds.
    @inlinable
    public mutating func row(_ body: (inout Checksum) -> Void) {
        var sum = Checksum()
        body(&sum)
        count += 1
        checksum &+= sum.value
    }
}
