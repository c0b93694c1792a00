/// The sort key of a member of an ordered relationship; members with equal keys sort by reference.
///
/// Consecutive keys have gaps, so that members can be inserted between them. Core Data's `Z_FOK_…` columns hold them.
@frozen
public struct OrderKey: TypedNumber {
    /// The distance between neighbours if there is room.
    private static let step: Int64 = 1024

    /// The number that a row or a link holds.
    public let rawValue: Int64

    @inlinable public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Creates the key of a member when all members are numbered anew.
    ///
    /// - Parameter index: The member's index in the order, from 0.
    public init(at index: Int) { self.init(rawValue: OrderKey.step * Int64(index + 1)) }

    /// Creates the key of an appended member.
    ///
    /// - Parameter last: The greatest key of the others, `nil` if there are none. At most the maximum key.
    public init(after last: OrderKey?) {
        let (key, isTooGreat) = Swift.max(last?.rawValue ?? 0, 0).addingReportingOverflow(OrderKey.step)
        self.init(rawValue: isTooGreat ? .max : key)
    }

    /// The minimum key.
    @inlinable public static var min: OrderKey { OrderKey(rawValue: .min) }
    /// The maximum key.
    @inlinable public static var max: OrderKey { OrderKey(rawValue: .max) }

    /// Returns the keys of all members, with few changes.
    ///
    /// As many ascending keys as possible are kept, equal ones, of several contexts, by their rows' references. A
    /// member between two others gets the middle; if there is none all are renumbered.
    ///
    /// - Parameters:
    ///   - current: The present key of each member, `nil` for those without.
    ///   - references: The references of the members' rows; without them equal keys do not ascend.
    /// - Complexity: O(n log n).
    public static func assign(_ current: [OrderKey?], references: [Int64] = []) -> [OrderKey] {
        var keys = longestAscendingRun(of: current, references)
        var index = 0
        var before: Int64 = 0
        while index < keys.count {
            if let key = keys[index] {
                before = key.rawValue
                index += 1
                continue
            }
            let start = index
            while index < keys.count, keys[index] == nil { index += 1 }
            let missing = Int64(index - start)
            var distance = step
            if index < keys.count, let after = keys[index]?.rawValue {
                distance = (after - before) / (missing + 1)
                guard distance > 0 else { return current.indices.map(OrderKey.init(at:)) }
            }
            for offset in 0..<Int(missing) { keys[start + offset] = OrderKey(rawValue: before + distance * Int64(offset + 1)) }
        }
        return keys.map { $0 ?? 0 }
    }

    /// Returns the keys of a longest ascending run, `nil` for all others.
    private static func longestAscendingRun(of current: [OrderKey?], _ references: [Int64]) -> [OrderKey?] {
        func isBehind(_ index: Int, _ other: Int) -> Bool {
            guard let key = current[index], let before = current[other] else { return false }
            return before < key || before == key && !references.isEmpty && references[other] < references[index]
        }
        // Keys of a foreign store may be anything: those within bounds leave room for arithmetic.
        let bounds: ClosedRange<OrderKey> = 0...OrderKey(rawValue: Int64.max / 2)
        // The index of the least key that ends a run, by the length of the run.
        var ends: [Int] = []
        var previous = [Int?](repeating: nil, count: current.count)
        for (index, key) in current.enumerated() {
            guard let key, bounds.contains(key) else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if isBehind(index, ends[middle]) { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var keys = [OrderKey?](repeating: nil, count: current.count)
        var next = ends.last
        while let index = next {
            keys[index] = current[index]
            next = previous[index]
        }
        return keys
    }
}
