import StrataSQL

/// The statements that a connection keeps for the rows and plans of one store.
struct StoreStatements {
    /// The serial number of the store.
    let serial: UInt64
    private var lookups: [Lookup?] = []
    /// The statements that find the rows of several references.
    var lists: [ListShape: Lookup] = [:]
    /// The texts of the statements that find the destinations of an owner.
    var destinations: [ObjectIdentifier: DestinationLookup] = [:]
    /// The statements that find the members of an owner with their rows.
    var members: [ObjectIdentifier: MemberLookup] = [:]
    /// The statements of earlier plans, by shape.
    var plans = PlanCache()
    var writes = WriteStatements()

    init(serial: UInt64 = 0) { self.serial = serial }

    /// The statement that finds the row of a reference, by the root of the hierarchy.
    subscript(root: EntityIndex) -> Lookup? {
        get { lookups.typedIndices().contains(root) ? lookups[root] : nil }
        set {
            while !lookups.typedIndices().contains(root) { lookups.append(nil) }
            lookups[root] = newValue
        }
    }

    /// The statement that finds the row of a reference in one table.
    struct Lookup {
        let statement: Statement
        let decoder: RowDecoder
    }

    /// The statement that finds the destinations of an owner.
    struct DestinationLookup {
        /// Retained, as the lookup's key is its address.
        let relationship: RelationshipDescription
        let table: EntityTable
        let text: String
    }

    /// The statement that finds the rows that reference an owner by the inverse of a to-many relationship.
    struct MemberLookup {
        /// Retained, as the lookup's key is its address.
        let relationship: RelationshipDescription
        let table: EntityTable
        let lookup: Lookup
    }

    /// The table and the number of references of a lookup; 0 for a range.
    struct ListShape: Hashable {
        let root: EntityIndex
        let size: Int
    }
}
