import StrataModel
import StrataStore
import StrataText

// A class, as a copy of a structure would count references to all of its parts at each phase of a save.
/// A store of a save, with its changes; used by one thread at a time.
final class SaveParticipant {
    /// A change that the store made itself.
    enum OwnChange {
        /// Rows were updated; their references where they are reported.
        case updated([ObjectReference], properties: [String])
        /// Rows were deleted; their references where they are reported.
        case deleted([ObjectReference])
    }

    let entry: StoreEntry
    let writer: StoreWriter
    var transaction: any StoreTransaction { writer.transaction }
    // Exclusivity is not checked at run time: no access spans another.
    @safe @exclusivity(unchecked) var changes = ChangeSet()
    /// The references of the new rows in their request, by which conflicts name them.
    @safe @exclusivity(unchecked) var requested: [Int64] = []
    @safe @exclusivity(unchecked) var ownChange: OwnChange?
    @safe @exclusivity(unchecked) var relationships: [RelationshipID] = []
    var derived: [RowID: (row: Row, slots: Set<Slot>)] { writer.derived }
    /// Whether the store itself keeps the changes between the two phases of the commit.
    var isPrepared = false
    /// Whether the transaction was committed, or must not be used any more.
    var isOver = false

    /// Whether the changes are in the store, or are decided and will be.
    var hasTakenEffect = false

    init(
        entry: StoreEntry, transaction: any StoreTransaction, _ model: ManagedObjectModel, _ origin: TransactionOrigin
    ) {
        self.entry = entry
        writer = StoreWriter(transaction, entry, model, origin)
    }

    var derivedIDs: [ObjectID] { derived.values.map { entry.scopes.id(of: $0.row) }.sorted { $0.reference < $1.reference } }
    var isUnchanged: Bool { changes.isEmpty && ownChange == nil }

    /// Returns the conflicts of rows that the save relies on and does not change, within the store's write transaction:
    /// the optimistic-lock check.
    ///
    /// - Complexity: A round trip for each entity hierarchy.
    func conflicts(ofUnchanged rows: [RowVersion], _ model: ManagedObjectModel) throws -> [SaveConflictError.Conflict] {
        if rows.isEmpty { return [] }
        return try transaction.read { reader in
            var conflicts: [SaveConflictError.Conflict] = []
            for (root, group) in Dictionary(grouping: rows, by: { model.entities[$0.entity].root }).sortedByKey() {
                let found = try reader.rows(root: root, references: group.map(\.reference))
                let current = Dictionary(found.map { ($0.reference, $0) }) { first, _ in first }
                for row in group where current[row.reference]?.version != row.version {
                    let id = ObjectID(scope: entry.scopes[row.entity], reference: row.reference)
                    let reason = current[row.reference].map { StoreConflict.Reason.changed($0) } ?? .deleted
                    conflicts.append(SaveConflictError.Conflict(objectID: id, reason: reason))
                }
            }
            return conflicts
        }
    }

    /// Applies the changes in the store, with derived values; returns the conflicts.
    func apply() throws -> [StoreConflict] {
        let conflicts = try writer.apply(changes)
        changes = writer.applied
        return conflicts
    }

    /// Commits, and reports conflicts that a store with several writers finds only then; throws ``SaveConflictError``;
    /// `StoreError`.
    func commit(_ model: ManagedObjectModel) throws {
        try namingConflicts(model) { try transaction.commit() }
        entry.activity.noteSave()
    }

    /// Runs a body, and names its conflicts as the request does.
    func namingConflicts(_ model: ManagedObjectModel, _ body: () throws -> Void) throws {
        do { try body() } catch let error as StoreError
            where (error.code == .conflict || error.code == .constraint) && !error.conflicts.isEmpty
        { throw SaveConflictError(conflicts: try described(error.conflicts, model)) }
    }

    /// Returns conflicts with the request's IDs, in an order that does not depend on the store; throws `StoreError`
    /// with `corrupt` for an impossible conflict.
    func described(_ found: [StoreConflict], _ model: ManagedObjectModel) throws -> [SaveConflictError.Conflict] {
        if found.isEmpty { return [] }
        let names = TemporaryNames(requested, changes.inserted, model)
        return names.inOrder(try entry.checked(found)).map { names.conflict($0, entry.scopes, changes.values(of: $0, model)) }
    }
}
