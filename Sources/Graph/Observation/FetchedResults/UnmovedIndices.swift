/// The elements of a list that keep their order when as few as possible are moved, preferably changed ones.
enum UnmovedIndices {
    /// Returns the indices of an ascending part of a list of distinct elements: a longest one of the preferred
    /// elements, with others that fit in between.
    ///
    /// - Complexity: O(n log n).
    static func indices<Element: Comparable>(of list: [(element: Element, isPreferred: Bool)]) -> Set<Int> {
        let preferred = longestRun(list.indices.filter { list[$0].isPreferred }, list)
        var indices = Set(preferred)
        var start = 0
        for end in preferred + [list.count] {
            let (low, high) = (start > 0 ? list[start - 1].element : nil, end < list.count ? list[end].element : nil)
            let fitting = (start..<end).filter { index in
                !list[index].isPreferred && low.map { $0 < list[index].element } != false && high.map { list[index].element < $0 } != false
            }
            indices.formUnion(longestRun(fitting, list))
            start = end + 1
        }
        return indices
    }

    /// Returns a longest ascending part of some indices.
    private static func longestRun<Element: Comparable>(_ indices: [Int], _ list: [(element: Element, isPreferred: Bool)]) -> [Int] {
        // The index where the run of each length with the least last element ends.
        var ends: [Int] = []
        var previous: [Int: Int] = [:]
        for index in indices {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if list[ends[middle]].element < list[index].element { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var run: [Int] = []
        var next = ends.last
        while let index = next {
            run.append(index)
            next = previous[index]
        }
        return run.reversed()
    }
}
