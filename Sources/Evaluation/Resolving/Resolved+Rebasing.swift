extension PropertyPath {
    /// The path from its first step's destination, which is variable 0 then.
    ///
    /// - Precondition: The path has a step.
    fileprivate var withoutFirstStep: PropertyPath {
        let rest = text.firstIndex(of: ".").map { String(text[text.index(after: $0)...]) } ?? text
        return PropertyPath(
            variable: 0, entity: steps[0].destination, steps: Array(steps.dropFirst()), leaf: leaf, objectEntity: objectEntity, text: rest)
    }

    /// Returns the path from variable 0 instead of another one.
    fileprivate func rebased(from variable: Int) throws(OtherVariable) -> PropertyPath {
        guard self.variable == variable else { throw OtherVariable() }
        return PropertyPath(variable: 0, entity: entity, steps: steps, leaf: leaf, objectEntity: objectEntity, text: text)
    }
}

extension ResolvedComparison {
    /// The comparison of a path with a constant from the first step's destination, which is variable 0 then.
    ///
    /// - Precondition: The path has a step.
    public var withoutFirstStep: ResolvedComparison {
        ResolvedComparison(left: left.withoutFirstStep, operator: `operator`, right: right, options: options)
    }
}

/// The expression has another variable than the one that was to become 0.
private struct OtherVariable: Error {}

extension ResolvedPredicate {
    /// Returns a predicate about the object of a variable as one about the fetched object; `nil` where it needs any
    /// other object, or contains collections.
    public func rebased(from variable: Int) -> ResolvedPredicate? { try? moved(from: variable) }

    private func moved(from variable: Int) throws(OtherVariable) -> ResolvedPredicate {
        switch self {
        case .constant: return self
        case .not(let part): return .not(try part.moved(from: variable))
        case .and(let parts): return .and(try ResolvedPredicate.moved(parts, variable))
        case .or(let parts): return .or(try ResolvedPredicate.moved(parts, variable))
        case .comparison(let comparison):
            let right: ResolvedOperand =
                if let path = comparison.right.path { .path(try path.rebased(from: variable)) } else { comparison.right }
            return .comparison(
                ResolvedComparison(
                    left: try comparison.left.rebased(from: variable), operator: comparison.operator, right: right,
                    options: comparison.options))
        case .test, .exists: throw OtherVariable()
        }
    }

    private static func moved(_ parts: [ResolvedPredicate], _ variable: Int) throws(OtherVariable) -> [ResolvedPredicate] {
        var moved: [ResolvedPredicate] = []
        for part in parts { moved.append(try part.moved(from: variable)) }
        return moved
    }
}
