import StrataConformance

/// The cases that only the object graph can fail, whatever store is underneath.
enum GraphConformance {
    static let cases: [ConformanceCase] = lists.flatMap(\.self)

    private static let lists: [[ConformanceCase]] = [
        LifeCycleCases.all, RestlessCases.all, ValidationCases.all, ValidationRequestCases.all, NestedContextCases.all,
        NestedConflictCases.all, ChildDeletionCases.all, UnfollowedDeletionCases.all, ForgottenDestinationCases.all, NestedLawCases.all,
        ConcurrentFamilyCases.all, AutomaticMergingCases.all, LateDeletionCases.all, UndoCases.all, UndoMergeCases.all,
        UndoOrderCases.all, UndoLinkMergeCases.all, UndoNestedCases.all, UndoLawCases.all, ContextEventCases.all,
        CurrentEventCases.all, LiveQueryCases.all, FetchedResultsCases.all, FetchedResultsLawCases.all, ChangedBackCases.all,
        RefilledLinkCases.all,
        ResavedLinkCases.all,
    ]
}

extension ConformanceCase.Subject {
    /// Callbacks in an object's life cycle.
    static let lifeCycle = Self(rawValue: "life cycle")
    /// Validation before a save.
    static let validation = Self(rawValue: "validation")
    /// Child contexts, and what of them reaches the store.
    static let nesting = Self(rawValue: "nesting")
    /// Undo and redo.
    static let undo = Self(rawValue: "undo")
    /// Changes that are changed back, which no save contains.
    static let changedBack = Self(rawValue: "changed back")
    /// Events of a context, live queries, and fetched results.
    static let observation = Self(rawValue: "observation")
}
