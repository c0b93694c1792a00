extension Sequence {
    /// Returns the first elements of the sorted sequence, by a strict total order.
    ///
    /// - Complexity: O(n log k) comparisons in the number of elements and of those that are returned, mostly O(n), and
    ///   O(k) memory.
    /// - Throws: What `precedes` throws.
    @inlinable
    public func smallest(_ count: Int, by precedes: (Element, Element) throws -> Bool) rethrows -> [Element] {
        if count <= 0 { return [] }
        // The first elements, as a heap with the last one of them at its top once there are enough.
        var heap: [Element] = []
        for element in self {
            if heap.count < count {
                heap.append(element)
                guard heap.count == count else { continue }
                for index in (0..<count / 2).reversed() { try heap.sink(index, precedes) }
            } else if try precedes(element, heap[0]) {
                heap[0] = element
                try heap.sink(0, precedes)
            }
        }
        try heap.sort(by: precedes)
        return heap
    }
}

extension Array {
    /// Moves an element of a heap down to where it precedes none of its children.
    @inlinable
    mutating func sink(_ start: Int, _ precedes: (Element, Element) throws -> Bool) rethrows {
        var index = start
        while 2 * index + 1 < count {
            var child = 2 * index + 1
            if child + 1 < count, try precedes(self[child], self[child + 1]) { child += 1 }
            guard try precedes(self[index], self[child]) else { return }
            swapAt(index, child)
            index = child
        }
    }
}
