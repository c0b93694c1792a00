/// The content of a slot as an index orders it: null first, then numbers by words, text and bytes by bytes.
public enum IndexKey: Sendable, Hashable {
    /// The key of a row without a value in the slot; it precedes all others.
    case null
    /// A number, date, flag or reference; see ``KeyWord``.
    case word(UInt64)
    /// Text as UTF-8, a UUID or bytes.
    case bytes([UInt8])
}

extension IndexKey: Comparable {
    /// Returns the order of an index: null first, then words by magnitude, then bytes.
    public static func < (a: IndexKey, b: IndexKey) -> Bool {
        switch (a, b) {
        case (.word(let x), .word(let y)): x < y
        case (.bytes(let x), .bytes(let y)):
            unsafe x.withUnsafeBytes { x in unsafe y.withUnsafeBytes { unsafe compareBytes(x, $0) == .less } }
        case (.null, .null), (_, .null): false
        case (.null, _), (.word, .bytes): true
        case (.bytes, .word): false
        }
    }
}

/// A cut between keys.
public enum KeyCut: Sendable, Hashable, Comparable {
    /// Before all entries of a key, so that the key is behind the cut.
    case before(IndexKey)
    /// Behind all entries of a key, so that the key is before the cut.
    case after(IndexKey)
    /// Behind all keys that an index may hold.
    case end

    /// Returns whether one cut comes before the other.
    public static func < (a: KeyCut, b: KeyCut) -> Bool {
        switch (a, b) {
        case (.end, _): false
        case (_, .end): true
        case (.before(let x), .before(let y)), (.after(let x), .after(let y)), (.after(let x), .before(let y)): x < y
        case (.before(let x), .after(let y)): x <= y
        }
    }
}

/// A set of keys of a slot: disjoint intervals between cuts, ascending.
public struct KeySet: Sendable {
    /// The keys between two cuts.
    public struct Interval: Sendable, Hashable {
        /// The lower bound.
        public let from: KeyCut
        /// The upper bound; the keys before the cut are included.
        public let to: KeyCut

        /// Creates the interval between two cuts, lower bound first.
        public init(from: KeyCut, to: KeyCut) {
            self.from = from
            self.to = to
        }

        init(_ key: IndexKey) {
            from = .before(key)
            to = .after(key)
        }

        /// Returns whether a key is among them.
        public func holds(_ key: IndexKey) -> Bool { from <= .before(key) && .after(key) <= to }

        /// The key, where there is but one.
        public var key: IndexKey? {
            if case .before(let low) = from, case .after(let high) = to, low == high { low } else { nil }
        }
    }

    /// Sets of single keys are the most frequent ones, and may be long.
    private enum Content {
        case key(IndexKey)
        /// Distinct single keys in ascending order.
        case keys([IndexKey])
        case intervals([Interval])
    }

    private let content: Content
    /// Whether every row with one of the keys meets the condition; rows with other keys never do.
    public private(set) var isExact = true

    /// No key at all: a condition that no row meets.
    public static let nothing = KeySet(.keys([]))
    /// Every key, including null and NaN.
    public static let everything = KeySet(.intervals([Interval(from: .before(.null), to: .end)]))

    private init(_ content: Content, isExact: Bool = true) {
        self.content = content
        self.isExact = isExact
    }

    /// Creates a set from disjoint ascending intervals.
    private init(_ intervals: [Interval], isExact: Bool) {
        self.isExact = isExact
        var keys: [IndexKey] = []
        for interval in intervals {
            guard let key = interval.key else {
                content = .intervals(intervals)
                return
            }
            keys.append(key)
        }
        content = .keys(keys)
    }

    /// Creates the keys between two cuts.
    public init(from: KeyCut, to: KeyCut, isExact: Bool = true) {
        self.init(from < to ? [Interval(from: from, to: to)] : [], isExact: isExact)
    }

    /// Creates the set of one key.
    public init(_ key: IndexKey) { self.init(.key(key)) }

    /// Creates the set of some keys, in any order and with duplicates.
    public init(_ keys: [IndexKey]) {
        var unique: [IndexKey] = []
        unique.reserveCapacity(keys.count)
        for key in keys.sorted() where unique.last != key { unique.append(key) }
        self.init(.keys(unique))
    }

    /// Creates the keys of some references.
    public init(references: [Int64]) { self.init(references.map { IndexKey.word(KeyWord.of($0)) }) }

    /// The intervals, upward; one for each key of a set that was made of keys.
    public var intervals: [Interval] {
        switch content {
        case .key(let key): [Interval(key)]
        case .keys(let keys): keys.map { Interval($0) }
        case .intervals(let intervals): intervals
        }
    }

    /// The number of intervals.
    public var count: Int {
        switch content {
        case .key: 1
        case .keys(let keys): keys.count
        case .intervals(let intervals): intervals.count
        }
    }

    /// Whether the set is empty.
    public var isEmpty: Bool { count == 0 }

    /// Whether all intervals are of one key each.
    public var isOfKeys: Bool { if case .intervals = content { false } else { true } }

    /// The keys, where all intervals are of one each.
    public var keys: [IndexKey]? {
        switch content {
        case .key(let key): [key]
        case .keys(let keys): keys
        case .intervals: nil
        }
    }

    /// The key, where there is exactly one.
    public var onlyKey: IndexKey? {
        switch content {
        case .key(let key): key
        case .keys(let keys): keys.count == 1 ? keys[0] : nil
        case .intervals: nil
        }
    }

    /// Whether null is among the keys.
    public var holdsNull: Bool {
        switch content {
        case .key(let key): key == .null
        case .keys(let keys): keys.first == .null
        case .intervals(let intervals): intervals.first?.from == .before(.null)
        }
    }

    /// The other keys; `nil` where the set is not exact.
    public var complement: KeySet? {
        guard isExact else { return nil }
        var gaps: [Interval] = []
        var start = KeyCut.before(.null)
        for interval in intervals {
            if start < interval.from { gaps.append(Interval(from: start, to: interval.from)) }
            start = interval.to
        }
        if start < .end { gaps.append(Interval(from: start, to: .end)) }
        return KeySet(gaps, isExact: true)
    }

    /// Returns the keys of both sets.
    public func intersection(_ other: KeySet) -> KeySet {
        var common: [Interval] = []
        let (left, right) = (intervals, other.intervals)
        var (a, b) = (0, 0)
        while a < left.count, b < right.count {
            let (x, y) = (left[a], right[b])
            let (from, to) = (max(x.from, y.from), min(x.to, y.to))
            if from < to { common.append(Interval(from: from, to: to)) }
            if x.to < y.to { a += 1 } else { b += 1 }
        }
        return KeySet(common, isExact: isExact && other.isExact)
    }

    /// Returns the keys of either set.
    public func union(_ other: KeySet) -> KeySet {
        var all: [Interval] = []
        for interval in (intervals + other.intervals).sorted(by: { $0.from < $1.from }) {
            if let last = all.last, interval.from < last.to {
                all[all.count - 1] = Interval(from: last.from, to: max(last.to, interval.to))
            } else {
                all.append(interval)
            }
        }
        return KeySet(all, isExact: isExact && other.isExact)
    }

    /// Combines at least one set pairwise: sequentially, a long list would be traversed for each set.
    static func combine(_ sets: [KeySet], _ combine: (KeySet, KeySet) -> KeySet) -> KeySet {
        var sets = sets
        while sets.count > 1 {
            sets = stride(from: 0, to: sets.count, by: 2).map { $0 + 1 < sets.count ? combine(sets[$0], sets[$0 + 1]) : sets[$0] }
        }
        return sets.first ?? .nothing
    }
}
