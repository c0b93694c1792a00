import StrataEvaluation

/// The differences that a change makes to the counts and sums of a relationship's owners.
struct DerivationTally {
    /// By the reference of the owner; `nil` for a sum that overflows.
    private var differences: [Int64: Int64?] = [:]

    init(_ tally: DerivedExpression.Tally, _ rows: ChangedRows) {
        let (relationship, summed): (RelationshipDescription, Slot?) =
            switch tally {
            case .count(let relationship): (relationship, nil)
            case .sum(let relationship, let slot): (relationship, slot)
            }
        let destination = rows.model.destination(of: relationship)
        guard case .inverse(let property) = relationship.storage,
            case .toOne(let slot, _, _)? = destination.properties[property].relationship?.storage
        else { return }
        for (_, change) in rows.changed(destination) {
            for (row, sign) in [(change.old, Int64(-1)), (change.new, 1)] {
                guard let row, let owner = row.integer(slot) else { continue }
                let amount = summed.map { row.integer($0) ?? 0 } ?? 1
                add(amount.multipliedReportingOverflow(by: sign), to: owner)
            }
        }
    }

    private mutating func add(_ amount: (partialValue: Int64, overflow: Bool), to owner: Int64) {
        guard let known = differences[owner, default: 0] else { return }
        let sum = known.addingReportingOverflow(amount.partialValue)
        differences[owner] = .some(sum.overflow || amount.overflow ? nil : sum.partialValue)
    }

    /// Returns the value of an owner; `nil` where it does not follow from the stored one.
    func value(_ change: ChangedRows.Change, _ derived: DerivedExpression) -> Value? {
        guard let owner = change.new, let difference = differences[owner.reference, default: 0] else { return nil }
        guard derived.attribute.slotKind == .integer, let base = change.old.map({ $0.integer(derived.slot) }) ?? 0 else { return nil }
        let sum = base.addingReportingOverflow(difference)
        return sum.overflow ? nil : .int(sum.partialValue)
    }
}
