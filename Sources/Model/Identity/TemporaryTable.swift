/// A table with a number for each of many temporary references.
///
/// They ascend, mostly without gaps. While their numbers ascend with them, as those of one entity do, a number follows by
/// subtraction; else the distance from the least reference is the index of its number.
// No generic type: in another module it would look up its own type at each access.
package struct TemporaryTable {
    private static let none: Int64 = -1

    private let extent: Extent
    /// The first references that were added, while each and its number followed the one before.
    private var run: (first: Int64, number: Int64, count: Int64) = (0, 0, 0)
    /// The numbers by distance from the least reference; empty while all are in the run.
    private var numbers: [Int64] = []
    /// The numbers of outliers.
    private var outliers: [Int64: Int64] = [:]

    /// A range of references for a table.
    package struct Extent {
        fileprivate var count: Int64 = 0
        fileprivate var least = Int64.max
        fileprivate var greatest = Int64.min

        /// Creates an empty extent.
        package init() {}

        /// Adds a reference, if it is temporary.
        package mutating func add(_ reference: Int64) {
            guard reference < 0 else { return }
            count += 1
            least = min(least, reference)
            greatest = max(greatest, reference)
        }
    }

    /// Creates a table for some references.
    package init(_ extent: Extent) { self.extent = extent }

    /// Whether there is no temporary reference.
    package var isEmpty: Bool { extent.count == 0 }

    /// The number of a reference; not below 0.
    package subscript(reference: Int64) -> Int64? {
        get {
            if numbers.isEmpty {
                let index = reference &- run.first
                return index >= 0 && index < run.count ? run.number + index : nil
            }
            let index = reference &- extent.least
            guard index >= 0 && index < Int64(numbers.count) else { return outliers[reference] }
            let number = numbers[Int(index)]
            return number == TemporaryTable.none ? nil : number
        }
        set {
            if numbers.isEmpty {
                if let newValue, continueRun(reference, newValue) { return }
                leaveRun()
            }
            set(reference, newValue)
        }
    }

    /// Adds a reference to the run; returns whether it and its number follow the last ones.
    private mutating func continueRun(_ reference: Int64, _ number: Int64) -> Bool {
        if run.count == 0 {
            run = (reference, number, 1)
            return true
        }
        guard reference == run.first + run.count, number == run.number + run.count else { return false }
        run.count += 1
        return true
    }

    private mutating func leaveRun() {
        let span = extent.greatest.subtractingReportingOverflow(extent.least)
        let count = extent.count == 0 ? 0 : span.overflow ? extent.count * 4 : min(span.partialValue, extent.count * 4)
        numbers = Array(repeating: TemporaryTable.none, count: Int(count) + 1)
        for index in 0..<run.count { set(run.first + index, run.number + index) }
    }

    private mutating func set(_ reference: Int64, _ number: Int64?) {
        let index = reference &- extent.least
        if index >= 0 && index < Int64(numbers.count) {
            numbers[Int(index)] = number ?? TemporaryTable.none
        } else {
            outliers[reference] = number
        }
    }
}
