/// A set of positions below a bound that finds the nearest member before a position in O(log n).
struct PositionSet {
    /// A bit for each position, then, level by level, a bit for each word of the level below that is not 0.
    private var levels: [[UInt64]] = []

    init(below bound: Int) {
        // With a bit for the bound, which is searched before, too.
        var count = bound + 1
        repeat {
            count = (count + 63) / 64
            levels.append(Array(repeating: 0, count: count))
        } while count > 1
    }

    mutating func insert(_ position: Int) {
        var index = position
        for level in levels.indices {
            levels[level][index / 64] |= 1 << UInt64(index % 64)
            index /= 64
        }
    }

    mutating func remove(_ position: Int) {
        var index = position
        for level in levels.indices {
            levels[level][index / 64] &= ~(1 << UInt64(index % 64))
            if levels[level][index / 64] != 0 { return }
            index /= 64
        }
    }

    /// Returns the last member before a position; `nil` if no member precedes it.
    func last(before position: Int) -> Int? {
        var index = position
        for level in levels.indices {
            let word = index / 64
            let before = levels[level][word] & ((1 << UInt64(index % 64)) - 1)
            if before != 0 { return descend(to: word * 64 + 63 - before.leadingZeroBitCount, from: level) }
            index = word
        }
        return nil
    }

    /// Returns the last member among those that a bit of a level is set for.
    private func descend(to bit: Int, from level: Int) -> Int {
        levels[..<level].reversed().reduce(bit) { word, words in word * 64 + 63 - words[word].leadingZeroBitCount }
    }
}
