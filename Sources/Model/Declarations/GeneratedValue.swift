import StrataPlatform
import Synchronization

/// The value that every new object gets for an attribute: a key that is known when the object is inserted.
public enum GeneratedValue: String, Sendable, Hashable, CaseIterable {
    /// An integer of 64 bits that no other object of the entity's hierarchy gets, of any context or process over the same store; increasing
    /// within a context, with gaps.
    case sequence
    /// A UUID of version 7 (RFC 9562), which begins with the time in milliseconds; increasing within a process.
    case uuidV7

    /// The key of ``Attribute/userInfo`` under which an attribute says it, so that model files of every form have it.
    public static let userInfoKey = "Strata.generated"

    /// Whether an attribute of a type can have the value.
    func fits(_ type: AttributeType) -> Bool { self == .sequence ? type == .integer64 : type == .uuid }

    /// Returns a new UUID of version 7, greater than all that the process has returned before.
    ///
    /// Where the clock was set back, the UUIDs continue from the latest time.
    public static func newUUID() -> UUID {
        let words = lastUUID.withLock { last in
            last = next(after: last, milliseconds: milliseconds(), random: UInt64.random(in: 0...UInt64.max))
            return last
        }
        func byte(_ word: UInt64, _ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * index)) }
        let (high, low) = (words.high, words.low)
        return UUID(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5), byte(high, 6), byte(high, 7),
                byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3), byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
            ))
    }

    private static let lastUUID = Mutex<(high: UInt64, low: UInt64)>((0, 0))

    /// Returns the words of a UUID above another one.
    ///
    /// - Parameters:
    ///   - last: The words of the other one.
    ///   - milliseconds: The time, since 1970.
    ///   - random: Random bits.
    static func next(after last: (high: UInt64, low: UInt64), milliseconds: UInt64, random: UInt64) -> (high: UInt64, low: UInt64) {
        let (version, variant): (UInt64, UInt64) = (0x7000, 1 << 63)
        let rest = random & (1 << 62 - 1)
        if milliseconds > last.high >> 16 {
            // The counter begins in its lower half, so that it can count on.
            return (milliseconds << 16 | version | (random >> 53 & 0x7FF), variant | rest)
        }
        // A counter of 12 bits; beyond it the time advances.
        let counter = last.high & 0xFFF
        let time = last.high >> 16
        return counter < 0xFFF
            ? (time << 16 | version | (counter + 1), variant | rest) : ((time + 1) << 16 | version, variant | rest)
    }

    private static func milliseconds() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(max(0, Int64(time.tv_sec))) * 1000 + UInt64(max(0, Int64(time.tv_nsec))) / 1_000_000
    }
}

extension Attribute {
    /// The value that new objects get; `nil` for none.
    public var generatedValue: GeneratedValue? { userInfo[GeneratedValue.userInfoKey].flatMap(GeneratedValue.init) }

    /// Returns the attribute, with a key that every new object gets: `Attribute("number", .integer64).generated(.sequence)`.
    ///
    /// Objects have it when they are inserted into a context, and rows of a batch insert that give none. It is no part of the version hash.
    public func generated(_ value: GeneratedValue) -> Attribute { userInfo([GeneratedValue.userInfoKey: value.rawValue]) }
}
