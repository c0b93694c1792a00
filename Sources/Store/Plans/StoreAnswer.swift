/// The answer of a store to a plan.
public enum StoreAnswer: Sendable {
    /// Rows, whatever the plan's result; the core does the remainder.
    case rows([Row], Remainder)
    /// The references of a finished plan.
    case references([ObjectReference])
    /// The count of a finished plan.
    case count(Int)
    /// The groups of a finished plan.
    case groups([Group])
    /// The tuples of a finished plan, with objects as references.
    case values([[Value]])
}

/// The kind of an answer to a plan, as errors name it.
public enum AnswerKind: String, Sendable, Hashable {
    case rows, references, count, groups, values
    /// The counterpart of references in the answer of a coordinator.
    case ids
}

extension StoreAnswer {
    /// Returns the rows.
    ///
    /// - Throws: `StoreError` with `unsupported` where the answer is of another kind.
    public func requireRows() throws(StoreError) -> [Row] {
        guard case .rows(let rows, _) = self else { throw kind.unexpected(insteadOf: .rows) }
        return rows
    }

    /// Returns the references.
    ///
    /// - Throws: `StoreError` with `unsupported` where the answer is of another kind.
    public func requireReferences() throws(StoreError) -> [ObjectReference] {
        guard case .references(let references) = self else { throw kind.unexpected(insteadOf: .references) }
        return references
    }

    /// Returns the count.
    ///
    /// - Throws: `StoreError` with `unsupported` where the answer is of another kind.
    public func requireCount() throws(StoreError) -> Int {
        guard case .count(let count) = self else { throw kind.unexpected(insteadOf: .count) }
        return count
    }

    func require(_ result: FetchPlan.Result) throws(StoreError) -> StoreAnswer {
        guard kind == result.kind else { throw kind.unexpected(insteadOf: result.kind) }
        return self
    }

    private var kind: AnswerKind {
        switch self {
        case .rows: .rows
        case .references: .references
        case .count: .count
        case .groups: .groups
        case .values: .values
        }
    }
}

extension FetchPlan.Result {
    fileprivate var kind: AnswerKind {
        switch self {
        case .rows: .rows
        case .references: .references
        case .count: .count
        case .groups: .groups
        case .values: .values
        }
    }
}

extension AnswerKind {
    /// Returns the error of an answer of this kind, where the plan's result is of another.
    public func unexpected(insteadOf expected: AnswerKind) -> StoreError {
        StoreError(.unsupported, .fetch, "unexpected answer to a plan: \(self) instead of \(expected)")
    }
}
