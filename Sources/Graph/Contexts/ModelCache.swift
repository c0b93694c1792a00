import StrataEvaluation

/// Cached look-ups in the model alone, which are never invalidated.
struct ModelCache {
    /// The comparison that was fetched last.
    var lastComparison: ComparisonTemplate?
    var entityClasses = EntityClasses()
    var entityRules = EntityRulesTable()
}
