extension QueryPredicate {
    /// Checks the tree against an entity, and replaces each expression that `substitution` resolves by what it returns.
    ///
    /// - Throws: `QueryError` for an unknown key, a constant of the wrong type, an operator that does not apply, a
    ///   variable without value; what `substitution` throws.
    public func resolved(
        for entity: EntityDescription, in model: ManagedObjectModel,
        substituting substitution: ((QueryExpression) throws(QueryError) -> ResolvedExpression?)? = nil
    ) throws(QueryError) -> ResolvedPredicate {
        var resolver = QueryResolver(entity, model, substitution)
        return try resolver.resolve(self)
    }
}

extension QueryExpression {
    /// Checks the tree against an entity, and replaces each expression that `substitution` resolves by what it returns.
    ///
    /// - Throws: `QueryError` as for predicates, and where the expression yields several objects rather than one value.
    public func resolved(
        for entity: EntityDescription, in model: ManagedObjectModel,
        substituting substitution: ((QueryExpression) throws(QueryError) -> ResolvedExpression?)? = nil
    ) throws(QueryError) -> ResolvedExpression {
        var resolver = QueryResolver(entity, model, substitution)
        return try resolver.scalar(self)
    }

    /// Checks the tree against an entity; several values become a list.
    ///
    /// - Throws: `QueryError` as for predicates.
    public func resolvedValues(for entity: EntityDescription, in model: ManagedObjectModel) throws(QueryError) -> ResolvedExpression {
        var resolver = QueryResolver(entity, model)
        return try resolver.values(self)
    }
}
