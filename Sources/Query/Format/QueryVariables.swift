extension QueryPredicate {
    /// Returns the predicate with variables replaced by values; those without a value stay.
    ///
    /// A name that a SUBQUERY or an assignment binds is not replaced there; the variable of a SUBQUERY is renamed where
    /// it would capture one of a value.
    public func withSubstitutionVariables(_ variables: [String: any QueryArgument]) -> QueryPredicate {
        var rewriter = QueryRewriter<Never>.putting(variables, in: self.variables)
        return rewriter.rewrite(self)
    }

    /// The names of the free variables, which no SUBQUERY and no assignment binds.
    public var variables: Set<String> { QueryRewriter.freeVariables { _ = $0.rewrite(self) } }
}

extension QueryExpression {
    /// Returns the expression with variables replaced by values; those without a value stay.
    ///
    /// A name that a SUBQUERY or an assignment binds is not replaced there; the variable of a SUBQUERY is renamed where
    /// it would capture one of a value.
    public func withSubstitutionVariables(_ variables: [String: any QueryArgument]) -> QueryExpression {
        var rewriter = QueryRewriter<Never>.putting(variables, in: self.variables)
        return rewriter.rewrite(self)
    }

    /// The names of the free variables, which no SUBQUERY and no assignment binds.
    public var variables: Set<String> { QueryRewriter.freeVariables { _ = $0.rewrite(self) } }
}

extension QueryRewriter where Failure == Never {
    /// Returns the names of the free variables in a traversal.
    fileprivate static func freeVariables(_ traverse: (inout QueryRewriter) -> Void) -> Set<String> {
        var free: Set<String> = []
        var rewriter = replacingVariables { name in
            free.insert(name)
            return nil
        }
        traverse(&rewriter)
        return free
    }

    /// Replaces free variables that have a value.
    fileprivate static func putting(_ values: [String: any QueryArgument], in free: Set<String>) -> QueryRewriter {
        let replacements = values.filter { free.contains($0.key) }.mapValues(\.queryExpression)
        return replacingVariables(avoiding: replacements.values.reduce(into: []) { $0.formUnion($1.variableNames) }) { replacements[$0] }
    }

    /// Replaces free variables, in reading order: an assignment binds its name in what follows it.
    fileprivate static func replacingVariables(
        avoiding taken: Set<String> = [], _ replacement: @escaping (String) -> QueryExpression?
    ) -> QueryRewriter {
        QueryRewriter(avoiding: taken) { part, bound in
            if case .variable(let name) = part, !bound.contains(name) { replacement(name) } else { nil }
        }
    }
}
