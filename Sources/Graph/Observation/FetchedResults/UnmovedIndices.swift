/// Finds what stays in its order where few others are moved: those that were not changed rather than those that were.
enum UnmovedIndices {
    /// Returns the places of an ascending part of a list without equal elements: a longest one of the preferred
    /// elements, with those of the others that fit in between.
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

    /// Returns those of some places, which ascend, that make up a longest ascending part.
    private static func longestRun<Element: Comparable>(_ indices: [Int], _ list: [(element: Element, isPreferred: Bool)]) -> [Int] {
        // The places at which the runs of each length end that end with the least element.
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
