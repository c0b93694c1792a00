/// The record of the synthetic workload: some 200 bytes, an integer key, one indexed integer.
@frozen
public struct Event: Sendable, Equatable, Codable {
    /// The key, counted from 1.
    public var id: Int64
    /// Seconds since 1970, with milliseconds.
    public var time: Double
    /// A text of 20 ASCII characters.
    public var title: String
    /// A text of 120 ASCII characters.
    public var detail: String
    /// A text of 40 ASCII characters.
    public var address: String
    /// Random in 0..<100,000; indexed.
    public var rank: Int64
    /// `rank / 1000`: what `grouping` groups by; not indexed.
    public var bucket: Int64

    /// The bytes of its values: four numbers, 180 characters.
    public static let byteCount = 4 * 8 + 180

    /// Creates an event of these values.
    @inlinable
    public init(id: Int64, time: Double, title: String, detail: String, address: String, rank: Int64, bucket: Int64) {
        self.id = id
        self.time = time
        self.title = title
        self.detail = detail
        self.address = address
        self.rank = rank
        self.bucket = bucket
    }
}

/// The fields of an event, whatever type a participant keeps it in.
public protocol EventFields {
    /// The key, counted from 1.
    var id: Int64 { get }
    /// Seconds since 1970, with milliseconds.
    var time: Double { get }
    /// A text of 20 characters.
    var title: String { get }
    /// A text of 120 characters.
    var detail: String { get }
    /// A text of 40 characters.
    var address: String { get }
    /// The number that is indexed.
    var rank: Int64 { get }
    /// The number to group by.
    var bucket: Int64 { get }
}

extension Event: EventFields {}

extension Answer {
    /// An event with every field touched.
    @inlinable
    public mutating func add(_ event: some EventFields) {
        row {
            $0.add(event.id)
            $0.add(event.time)
            $0.add(event.title)
            $0.add(event.detail)
            $0.add(event.address)
            $0.add(event.rank)
            $0.add(event.bucket)
        }
    }

    /// A bucket with the number of its events and the sum of their ranks.
    @inlinable
    public mutating func add(bucket: Int64, events: Int64, ranks: Int64) {
        row {
            $0.add(bucket)
            $0.add(events)
            $0.add(ranks)
        }
    }
}
