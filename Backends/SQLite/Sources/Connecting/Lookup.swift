import StrataModel

extension Connection {
    /// Finds the row of a reference in one table.
    struct Lookup {
        let statement: Statement
        let decoder: RowDecoder
    }

    /// Finds the rows that reference an owner over the inverse of a to-many relationship.
    struct MemberLookup {
        /// Kept, for the lookup is found by its address.
        let relationship: RelationshipDescription
        let table: EntityTable
        let lookup: Lookup
    }
}
