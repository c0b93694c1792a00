/// What is known of each of many temporary references.
///
/// They ascend, mostly without gaps: the distance from the least one is the place of what is known of it.
package struct TemporaryTable<Element> {
    private var elements: [Element?] = []
    private var first: Int64 = 0
    /// Of those too far from the rest.
    private var stray: [Int64: Element] = [:]

    /// A table for those of some references that are temporary.
    package init(_ references: some Sequence<Int64>) {
        var (count, least, greatest) = (0, Int64.max, Int64.min)
        for reference in references where reference < 0 {
            count += 1
            least = min(least, reference)
            greatest = max(greatest, reference)
        }
        if count == 0 { return }
        first = least
        elements = Array(repeating: nil, count: Int(min(greatest &- least, Int64(count) * 4)) + 1)
    }

    /// Whether there was no temporary reference.
    package var isEmpty: Bool { elements.isEmpty }

    package subscript(reference: Int64) -> Element? {
        get {
            let place = reference &- first
            return place >= 0 && place < Int64(elements.count) ? elements[Int(place)] : stray[reference]
        }
        set {
            let place = reference &- first
            if place >= 0 && place < Int64(elements.count) { elements[Int(place)] = newValue } else { stray[reference] = newValue }
        }
    }
}
