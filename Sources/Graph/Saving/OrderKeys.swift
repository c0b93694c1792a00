/// Gives the members of an ordered relationship keys that sort as they do: few of them change.
enum OrderKeys {
    /// The distance between neighbours where there is room.
    static let step: Int64 = 1024

    /// The keys of all members.
    ///
    /// Keys that ascend already stay; a member between two others gets the middle; where there is no middle all are numbered anew.
    ///
    /// - Parameter current: The present key of each member, `nil` for those without.
    /// - Complexity: O(n).
    static func assign(_ current: [Int64?]) -> [Int64] {
        var keys = current
        // Keeps an ascending run, from the start, of those that have keys.
        var last = Int64.min
        for place in keys.indices {
            guard let key = keys[place] else { continue }
            if key > last { last = key } else { keys[place] = nil }
        }
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
                guard distance > 0 else { return current.indices.map { step * Int64($0 + 1) } }
                for offset in 0..<Int(missing) { keys[start + offset] = before + distance * Int64(offset + 1) }
            }
        }
        return keys.map { $0 ?? 0 }
    }
}
