import StrataModel

/// The tables of an identity map that were used last.
// Unmanaged, as each look-up would count a reference: the identity map retains its tables until it forgets all objects.
@safe struct UsedTables {
    @safe private struct Table {
        let scope: ObjectIDScope
        let table: Unmanaged<IdentityTable>
    }

    @safe private struct Destination {
        let scope: ObjectIDScope
        let property: Int
        let table: Unmanaged<IdentityTable>
    }

    /// Two, as a save alternates between temporary and permanent IDs.
    private var last: Table?
    private var lastButOne: Table?
    /// The tables of the to-one relationships that were read last, by the last bits of the property: a loop reads the
    /// same few again.
    private var destinations: [Destination?] = []

    /// Returns the table of a scope where it was one of the last two.
    @inline(__always)
    subscript(scope: ObjectIDScope) -> Unmanaged<IdentityTable>? {
        if let last, last.scope == scope { return unsafe last.table }
        if let lastButOne, lastButOne.scope == scope { return unsafe lastButOne.table }
        return nil
    }

    mutating func note(_ table: Unmanaged<IdentityTable>, of scope: ObjectIDScope) {
        lastButOne = last
        last = unsafe Table(scope: scope, table: table)
    }

    /// Returns the registered destination with a reference in a row, by the scope of the row's object.
    @inline(__always)
    func destination(_ reference: Int64, from scope: ObjectIDScope, _ property: Int) -> ManagedObject? {
        guard !destinations.isEmpty, let entry = destinations[property & 3], entry.scope == scope && entry.property == property
        else { return nil }
        return unsafe entry.table._withUnsafeGuaranteedRef { $0[reference] }
    }

    /// Records the table of a to-one relationship's destinations, by the scope and the property of its source.
    mutating func note(_ table: IdentityTable, of property: Int, from scope: ObjectIDScope) {
        if destinations.isEmpty { destinations = Array(repeating: nil, count: 4) }
        destinations[property & 3] = unsafe Destination(scope: scope, property: property, table: Unmanaged.passUnretained(table))
    }
}
