extension [Int64] {
    /// Returns the numbers sorted.
    ///
    /// - Complexity: O(n) for as many bytes as the greatest number has: references are small numbers.
    consuming func sortedUpward() -> [Int64] {
        guard count > 256, let least = self.min(), let greatest = self.max(), least >= 0, greatest < 1 << 32 else {
            sort()
            return self
        }
        var from = self
        var to = [Int64](repeating: 0, count: from.count)
        var shift: Int64 = 0
        while greatest >> shift > 0 {
            var starts = [Int](repeating: 0, count: 1 << 11)
            let mask: Int64 = 1 << 11 - 1
            for number in from { starts[Int(number >> shift & mask)] &+= 1 }
            var start = 0
            for digit in starts.indices { (starts[digit], start) = (start, start &+ starts[digit]) }
            for number in from {
                let digit = Int(number >> shift & mask)
                to[starts[digit]] = number
                starts[digit] &+= 1
            }
            swap(&from, &to)
            shift += 11
        }
        return from
    }

    /// Returns the numbers in ascending order, each once.
    public consuming func sortedUniquely() -> [Int64] {
        var sorted = sortedUpward()
        var last = 0
        for index in sorted.indices.dropFirst() where sorted[index] != sorted[last] {
            last += 1
            sorted[last] = sorted[index]
        }
        if last + 1 < sorted.count { sorted.removeSubrange((last + 1)...) }
        return sorted
    }

    /// Returns the intersection of sorted numbers.
    func intersection(_ other: [Int64]) -> [Int64] {
        var common: [Int64] = []
        var (a, b) = (0, 0)
        while a < count, b < other.count {
            if self[a] == other[b] { common.append(self[a]) }
            let isBehind = self[a] < other[b]
            if self[a] <= other[b] { a += 1 }
            if !isBehind { b += 1 }
        }
        return common
    }
}
