/// A table with a number for each of many temporary references.
///
/// They ascend, mostly without gaps: the distance from the least one is the index of its number.
// No generic type: in another module it would look up its own type at each access.
package struct TemporaryTable {
    private static let none: Int64 = -1

    private var numbers: [Int64] = []
    private var first: Int64 = 0
    /// The numbers of outliers.
    private var outliers: [Int64: Int64] = [:]

    /// A range of references for a table.
    package struct Extent {
        fileprivate var count: Int64 = 0
        fileprivate var least = Int64.max
        fileprivate var greatest = Int64.min

        /// Creates the union of some extents: without any an empty one.
        package init(uniting extents: [Extent] = []) {
            for extent in extents {
                count += extent.count
                least = min(least, extent.least)
                greatest = max(greatest, extent.greatest)
            }
        }

        /// Adds a reference, if it is temporary.
        package mutating func add(_ reference: Int64) {
            guard reference < 0 else { return }
            count += 1
            least = min(least, reference)
            greatest = max(greatest, reference)
        }
    }

    /// Creates a table for some references.
    package init(_ extent: Extent) {
        if extent.count == 0 { return }
        first = extent.least
        let span = extent.greatest.subtractingReportingOverflow(extent.least)
        let count = span.overflow ? extent.count * 4 : min(span.partialValue, extent.count * 4)
        numbers = Array(repeating: TemporaryTable.none, count: Int(count) + 1)
    }

    /// Whether there is no temporary reference.
    package var isEmpty: Bool { numbers.isEmpty }

    /// The number of a reference; not below 0.
    package subscript(reference: Int64) -> Int64? {
        get {
            let index = reference &- first
            guard index >= 0 && index < Int64(numbers.count) else { return outliers[reference] }
            let number = numbers[Int(index)]
            return number == TemporaryTable.none ? nil : number
        }
        set {
            let index = reference &- first
            if index >= 0 && index < Int64(numbers.count) {
                numbers[Int(index)] = newValue ?? TemporaryTable.none
            } else {
                outliers[reference] = newValue
            }
        }
    }
}
