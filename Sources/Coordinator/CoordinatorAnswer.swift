package import StrataStore

package enum CoordinatorAnswer: Sendable {
    case rows(FetchedRows)
    case ids([ObjectID])
    case count(Int)
    case groups([Group])
    case values([[Value]])
}

/// Results of one kind; each throws `StoreError` with `unsupported` where the answer is of another kind.
extension CoordinatorAnswer {
    package func requireRows() throws(StoreError) -> FetchedRows {
        guard case .rows(let rows) = self else { throw unexpected(insteadOf: .rows) }
        return rows
    }

    package func requireIDs() throws(StoreError) -> [ObjectID] {
        guard case .ids(let ids) = self else { throw unexpected(insteadOf: .ids) }
        return ids
    }

    package func requireCount() throws(StoreError) -> Int {
        guard case .count(let count) = self else { throw unexpected(insteadOf: .count) }
        return count
    }

    package func requireGroups() throws(StoreError) -> [Group] {
        guard case .groups(let groups) = self else { throw unexpected(insteadOf: .groups) }
        return groups
    }

    package func requireValues() throws(StoreError) -> [[Value]] {
        guard case .values(let tuples) = self else { throw unexpected(insteadOf: .values) }
        return tuples
    }

    private func unexpected(insteadOf expected: AnswerKind) -> StoreError {
        let kind: AnswerKind =
            switch self {
            case .rows: .rows
            case .ids: .ids
            case .count: .count
            case .groups: .groups
            case .values: .values
            }
        return kind.unexpected(insteadOf: expected)
    }
}

package struct FetchedRows: Sendable {
    /// The rows in the order of the plan.
    package var rows: [Row]
    package var scopes: [ObjectIDScopes]
    /// The scopes of the only store.
    @usableFromInline let onlyScopes: ObjectIDScopes?
    /// The index in ``scopes`` of each row's store; empty where all rows are of one store.
    package var storeOfRow: [Int32]

    init(rows: [Row], scopes: ObjectIDScopes) {
        self.rows = rows
        self.scopes = []
        onlyScopes = scopes
        storeOfRow = []
    }

    package init(rows: [Row], scopes: [ObjectIDScopes], storeOfRow: [Int32]) {
        self.rows = rows
        self.scopes = scopes
        onlyScopes = nil
        self.storeOfRow = storeOfRow
    }

    @inlinable
    package func scopes(ofRowAt index: Int) -> ObjectIDScopes {
        onlyScopes ?? scopes[store(ofRowAt: index)]
    }

    @inlinable
    package func store(ofRowAt index: Int) -> Int { storeOfRow.isEmpty ? 0 : Int(storeOfRow[index]) }
}
