import StrataModel

/// The content of a slot as an index orders it: no value first, then numbers by words, text and bytes by bytes.
package enum IndexKey: Sendable, Hashable {
    case null
    /// A number, date, flag or reference; see ``KeyWord``.
    case word(UInt64)
    case bytes([UInt8])
}

extension IndexKey: Comparable {
    package static func < (a: IndexKey, b: IndexKey) -> Bool {
        switch (a, b) {
        case (.word(let x), .word(let y)): x < y
        case (.bytes(let x), .bytes(let y)): x.withUnsafeBytes { x in y.withUnsafeBytes { compareBytes(x, $0) == .less } }
        case (.null, .null), (_, .null): false
        case (.null, _), (.word, .bytes): true
        case (.bytes, .word): false
        }
    }
}

/// A place between keys.
package enum KeyCut: Sendable, Hashable, Comparable {
    case before(IndexKey)
    case after(IndexKey)
    /// Behind all keys.
    case end

    package static func < (a: KeyCut, b: KeyCut) -> Bool {
        switch (a, b) {
        case (.end, _): false
        case (_, .end): true
        case (.before(let x), .before(let y)), (.after(let x), .after(let y)), (.after(let x), .before(let y)): x < y
        case (.before(let x), .after(let y)): x <= y
        }
    }
}

/// Some keys of a slot: intervals between cuts, upward, none of which overlap.
package struct KeySet: Sendable {
    /// The keys between two cuts.
    package struct Interval: Sendable, Hashable {
        package let from: KeyCut
        package let to: KeyCut

        package init(from: KeyCut, to: KeyCut) {
            self.from = from
            self.to = to
        }

        /// The key, where there is but one.
        package var key: IndexKey? {
            if case .before(let low) = from, case .after(let high) = to, low == high { low } else { nil }
        }
    }

    package private(set) var intervals: [Interval]
    /// Whether a row whose slot holds one of the keys surely meets the condition; it never does where its slot holds none.
    package private(set) var isExact = true

    /// No key.
    package static let nothing = KeySet(intervals: [])
    /// Every key, also none and a NaN.
    package static let everything = KeySet(intervals: [Interval(from: .before(.null), to: .end)])

    private init(intervals: [Interval]) { self.intervals = intervals }

    /// The keys between two cuts.
    package init(from: KeyCut, to: KeyCut, isExact: Bool = true) {
        intervals = from < to ? [Interval(from: from, to: to)] : []
        self.isExact = isExact
    }

    /// Some keys.
    package init(_ keys: [IndexKey]) {
        intervals = []
        intervals.reserveCapacity(keys.count)
        for key in keys.sorted() where intervals.last?.from != .before(key) {
            intervals.append(Interval(from: .before(key), to: .after(key)))
        }
    }

    /// The keys of some references.
    package init(references: [Int64]) { self.init(references.map { IndexKey.word(KeyWord.of($0)) }) }

    /// The keys, where all intervals are of one each.
    package var keys: [IndexKey]? {
        var keys: [IndexKey] = []
        keys.reserveCapacity(intervals.count)
        for interval in intervals {
            guard let key = interval.key else { return nil }
            keys.append(key)
        }
        return keys
    }

    /// Whether no value is among the keys.
    package var holdsNull: Bool { intervals.first?.from == .before(.null) }

    /// The keys that are not among these; `nil` where it is not sure which those are.
    package var complement: KeySet? {
        guard isExact else { return nil }
        var gaps: [Interval] = []
        var start = KeyCut.before(.null)
        for interval in intervals {
            if start < interval.from { gaps.append(Interval(from: start, to: interval.from)) }
            start = interval.to
        }
        if start < .end { gaps.append(Interval(from: start, to: .end)) }
        return KeySet(intervals: gaps)
    }

    /// The keys of both sets.
    package func intersection(_ other: KeySet) -> KeySet {
        var common = KeySet(intervals: [])
        common.isExact = isExact && other.isExact
        var (a, b) = (0, 0)
        while a < intervals.count, b < other.intervals.count {
            let (x, y) = (intervals[a], other.intervals[b])
            let (from, to) = (max(x.from, y.from), min(x.to, y.to))
            if from < to { common.intervals.append(Interval(from: from, to: to)) }
            if x.to < y.to { a += 1 } else { b += 1 }
        }
        return common
    }

    /// The keys of either set.
    package func union(_ other: KeySet) -> KeySet {
        var all = KeySet(intervals: [])
        all.isExact = isExact && other.isExact
        for interval in (intervals + other.intervals).sorted(by: { $0.from < $1.from }) {
            if let last = all.intervals.last, interval.from < last.to {
                all.intervals[all.intervals.count - 1] = Interval(from: last.from, to: max(last.to, interval.to))
            } else {
                all.intervals.append(interval)
            }
        }
        return all
    }

    /// Some sets, of which there is at least one, combined two by two: one after the other, a long list would be gone through with each.
    static func combine(_ sets: [KeySet], _ combine: (KeySet, KeySet) -> KeySet) -> KeySet {
        var sets = sets
        while sets.count > 1 {
            sets = stride(from: 0, to: sets.count, by: 2).map { $0 + 1 < sets.count ? combine(sets[$0], sets[$0 + 1]) : sets[$0] }
        }
        return sets.first ?? .nothing
    }
}
