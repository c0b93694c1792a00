import StrataEvaluation

/// What a context looked up in its model: results that depend on the model alone, and so are never invalidated.
struct ModelCache {
    /// The comparison that was fetched last, which is often the next one's too.
    var lastComparison: ComparisonTemplate?
    /// The entities by the classes of their objects.
    var entityClasses = EntityClasses()
    /// The validation rules by entity.
    var entityRules = EntityRulesTable()
}
