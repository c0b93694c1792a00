/// Finds the row of a number.
struct ReferenceTable {
    private var dense: [Int32] = []
    private var sparse: [Int64: Int32] = [:]
    private let isDense: Bool
    /// A number of two rows.
    private(set) var duplicate: Int64?

    /// Creates a table of numbers, by the ordinals of their rows; all are positive.
    init(_ references: [Int64]) {
        let greatest = references.max() ?? 0
        isDense = greatest <= Int64(references.count) * 4 + 1024
        if isDense {
            dense = Array(repeating: -1, count: Int(greatest) + 1)
        } else {
            sparse.reserveCapacity(references.count)
        }
        for (ordinal, reference) in references.enumerated() {
            if isDense {
                if dense[Int(reference)] >= 0 { duplicate = reference }
                dense[Int(reference)] = Int32(truncatingIfNeeded: ordinal)
            } else if sparse.updateValue(Int32(truncatingIfNeeded: ordinal), forKey: reference) != nil {
                duplicate = reference
            }
        }
    }

    /// Returns the ordinal of the row with a number, `nil` if there is none.
    func ordinal(_ reference: Int64) -> Int? {
        if isDense {
            guard reference > 0, reference < Int64(dense.count), dense[Int(reference)] >= 0 else { return nil }
            return Int(dense[Int(reference)])
        }
        return sparse[reference].map { Int($0) }
    }
}
