import CStrataLMDB
import StrataEngine

/// A position between keys: before or after all keys that begin with some bytes.
struct ByteCut {
    var start: [UInt8]
    var isAfter: Bool

    static func before(_ start: [UInt8]) -> ByteCut { ByteCut(start: start, isAfter: false) }
    static func after(_ start: [UInt8]) -> ByteCut { ByteCut(start: start, isAfter: true) }

    /// Creates the position of a cut among the keys of an element.
    init(_ cut: KeyCut, _ kind: SlotKind?) {
        switch cut {
        case .before(.null): self = .before([])
        case .before(let key): self = .before(KeyEncoder.bytes(of: key, kind))
        case .after(let key): self = .after(KeyEncoder.bytes(of: key, kind))
        case .end: self = .after([])
        }
    }

    private init(start: [UInt8], isAfter: Bool) {
        self.start = start
        self.isAfter = isAfter
    }

    /// The same position in the order of the inverted bytes.
    var inverted: ByteCut { ByteCut(start: start.map { ~$0 }, isAfter: !isAfter) }

    /// Returns the first key after the position; `nil` for the end.
    func bound(behind prefix: [UInt8]) -> [UInt8]? {
        var bytes = prefix + start
        guard isAfter else { return bytes }
        while let last = bytes.popLast() {
            if last < 255 { return bytes + [last + 1] }
        }
        return nil
    }
}

/// The keys from one on, up to and without another.
struct KeyRange {
    let lower: [UInt8]
    /// `nil` for the end.
    let upper: [UInt8]?
    /// Whether every key in the range meets the range's condition.
    let isExact: Bool

    /// Creates the range of a prefix's keys between two positions, in ascending order also for a descending element.
    init?(prefix: [UInt8], from low: ByteCut, to high: ByteCut, ascending: Bool) {
        var (low, high) = ascending ? (low, high) : (high.inverted, low.inverted)
        var isExact = true
        let capacity = KeyEncoder.cutLength - prefix.count
        guard capacity > 0 else { return nil }
        // A longer key is ordered by this length only.
        if low.start.count > capacity {
            low = .before(Array(low.start[..<capacity]))
            isExact = false
        }
        if high.start.count > capacity {
            high = .after(Array(high.start[..<capacity]))
            isExact = false
        }
        guard let lower = low.bound(behind: prefix) else { return nil }
        self.lower = lower
        upper = high.bound(behind: prefix)
        self.isExact = isExact
    }

    /// Creates the range of one whole key, which is no prefix of another.
    init(_ key: [UInt8]) {
        lower = key
        upper = ByteCut.after(key).bound(behind: [])
        isExact = true
    }

    /// Returns whether a key is not before the start of the range.
    func isFrom(start key: MDB_val) -> Bool { unsafe lower.withUnsafeBytes { unsafe compareBytes(key.bytes, $0) != .less } }

    func isBefore(end key: MDB_val) -> Bool {
        guard let upper else { return true }
        return unsafe upper.withUnsafeBytes { unsafe compareBytes(key.bytes, $0) == .less }
    }
}
