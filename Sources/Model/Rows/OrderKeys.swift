/// Deals the keys by which the members of an ordered relationship sort: apart from each other, so that others find room between them.
public enum OrderKeys {
    /// The distance between neighbours where there is room.
    private static let step: Int64 = 1024

    /// The key of a member where all are numbered anew.
    ///
    /// - Parameter place: The member's place in the order, from 0.
    public static func key(at place: Int) -> Int64 { step * Int64(place + 1) }

    /// The key of a member that joins behind the others.
    ///
    /// - Parameter last: The greatest key of the others, `nil` where there are none. Behind the greatest key that there is, it is that one again.
    public static func key(after last: Int64?) -> Int64 {
        let (key, isTooGreat) = max(last ?? 0, 0).addingReportingOverflow(step)
        return isTooGreat ? .max : key
    }

    /// The keys of all members, few of which change.
    ///
    /// As many keys as ascend already stay; a member between two others gets the middle; where there is no middle all are numbered anew.
    ///
    /// - Parameter current: The present key of each member, `nil` for those without.
    /// - Complexity: O(n log n).
    public static func assign(_ current: [Int64?]) -> [Int64] {
        var keys = longestAscendingRun(of: current)
        var place = 0
        var before: Int64 = 0
        while place < keys.count {
            if let key = keys[place] {
                before = key
                place += 1
                continue
            }
            let start = place
            while place < keys.count, keys[place] == nil { place += 1 }
            let missing = Int64(place - start)
            if place == keys.count {
                for offset in 0..<Int(missing) { keys[start + offset] = before + step * Int64(offset + 1) }
            } else {
                let after = keys[place] ?? 0
                let distance = (after - before) / (missing + 1)
                guard distance > 0 else { return current.indices.map(key(at:)) }
                for offset in 0..<Int(missing) { keys[start + offset] = before + distance * Int64(offset + 1) }
            }
        }
        return keys.map { $0 ?? 0 }
    }

    /// The keys of a longest ascending run, `nil` in all other places.
    private static func longestAscendingRun(of current: [Int64?]) -> [Int64?] {
        // The place of the least key that ends a run, by the length of the run.
        var ends: [Int] = []
        var previous = [Int?](repeating: nil, count: current.count)
        for (place, key) in current.enumerated() {
            // Keys read from a foreign store may be anything: those within bounds leave room for arithmetic.
            guard let key, (0...Int64.max / 2).contains(key) else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if let other = current[ends[middle]], other < key { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[place] = ends[low - 1] }
            if low == ends.count { ends.append(place) } else { ends[low] = place }
        }
        var keys = [Int64?](repeating: nil, count: current.count)
        var next = ends.last
        while let place = next {
            keys[place] = current[place]
            next = previous[place]
        }
        return keys
    }
}
