/// A comparison of trees of any height within a bounded part of the stack: parts nested too deep are compared later.
private struct TreeComparison {
    private enum Pair {
        case predicates(QueryPredicate, QueryPredicate)
        case expressions(QueryExpression, QueryExpression)
    }

    private static let greatestDepth = 64
    private var depth = 0
    private var waiting: [Pair] = []

    /// Compares the remaining parts.
    mutating func areRestEqual() -> Bool {
        while let pair = waiting.popLast() {
            if !areEqual(pair) { return false }
        }
        return true
    }

    private mutating func areEqual(_ pair: Pair) -> Bool {
        if depth == TreeComparison.greatestDepth {
            waiting.append(pair)
            return true
        }
        depth += 1
        defer { depth -= 1 }
        return switch pair {
        case .predicates(let a, let b): haveEqualParts(a, b)
        case .expressions(let a, let b): haveEqualParts(a, b)
        }
    }

    mutating func areEqual(_ a: QueryPredicate, _ b: QueryPredicate) -> Bool { areEqual(.predicates(a, b)) }

    mutating func areEqual(_ a: QueryExpression, _ b: QueryExpression) -> Bool { areEqual(.expressions(a, b)) }

    private mutating func haveEqualParts(_ a: QueryPredicate, _ b: QueryPredicate) -> Bool {
        switch (a, b) {
        case (.constant(let a), .constant(let b)): return a == b
        case (.and(let a), .and(let b)), (.or(let a), .or(let b)): return areEqual(a, b)
        case (.not(let a), .not(let b)): return areEqual(a, b)
        case (.comparison(let a), .comparison(let b)):
            return a.operator == b.operator && a.options == b.options && a.modifier == b.modifier && areEqual(a.left, b.left)
                && areEqual(a.right, b.right)
        default: return false
        }
    }

    private mutating func areEqual(_ a: [QueryPredicate], _ b: [QueryPredicate]) -> Bool {
        if a.count != b.count { return false }
        for index in a.indices where !areEqual(a[index], b[index]) { return false }
        return true
    }

    private mutating func areEqual(_ a: [QueryExpression], _ b: [QueryExpression]) -> Bool {
        if a.count != b.count { return false }
        for index in a.indices where !areEqual(a[index], b[index]) { return false }
        return true
    }

    private mutating func haveEqualParts(_ a: QueryExpression, _ b: QueryExpression) -> Bool {
        switch (a, b) {
        case (.constant(let a), .constant(let b)): return a == b
        case (.evaluatedObject, .evaluatedObject), (.anyKey, .anyKey): return true
        case (.variable(let a), .variable(let b)), (.keyPath(let a), .keyPath(let b)): return a == b
        case (.path(let a, let path), .path(let b, let other)): return path == other && areEqual(a, b)
        case (.list(let a), .list(let b)): return areEqual(a, b)
        case (.function(let function, let a), .function(let other, let b)): return function == other && areEqual(a, b)
        case (.custom(let target, let name, let a), .custom(let other, let otherName, let b)):
            return name == otherName && areEqual(target, other) && areEqual(a, b)
        case (.conditional(let condition, let a, let b), .conditional(let other, let otherA, let otherB)):
            return areEqual(condition, other) && areEqual(a, otherA) && areEqual(b, otherB)
        case (.subquery(let a, let name, let condition), .subquery(let b, let otherName, let other)):
            return name == otherName && areEqual(a, b) && areEqual(condition, other)
        case (.combined(let operation, let a, let b), .combined(let other, let otherA, let otherB)):
            return operation == other && areEqual(a, otherA) && areEqual(b, otherB)
        case (.element(let a, let positionA), .element(let b, let positionB)): return areEqual(a, b) && areEqual(positionA, positionB)
        case (.assignment(let name, let a), .assignment(let other, let b)): return name == other && areEqual(a, b)
        case (.fetch(let a), .fetch(let b)):
            guard a.entityName == b.entityName, a.countOnly == b.countOnly else { return false }
            guard let condition = a.predicate, let other = b.predicate else { return a.predicate == nil && b.predicate == nil }
            return areEqual(condition, other)
        default: return false
        }
    }

    private mutating func areEqual(_ a: QueryExpression.Position, _ b: QueryExpression.Position) -> Bool {
        switch (a, b) {
        case (.first, .first), (.last, .last), (.size, .size): true
        case (.at(let a), .at(let b)): areEqual(a, b)
        default: false
        }
    }
}

extension QueryPredicate {
    /// Returns whether two trees are equal, whatever their height.
    public static func == (lhs: QueryPredicate, rhs: QueryPredicate) -> Bool {
        var comparison = TreeComparison()
        return comparison.areEqual(lhs, rhs) && comparison.areRestEqual()
    }

    /// Hashes the upper levels of a tree.
    public func hash(into hasher: inout Hasher) { hash(into: &hasher, levels: TreeHash.levels) }

    fileprivate func hash(into hasher: inout Hasher, levels: Int) {
        if levels == 0 { return }
        switch self {
        case .constant(let truth): hasher.combine(truth)
        case .and(let parts), .or(let parts):
            if case .and = self { hasher.combine(1) } else { hasher.combine(2) }
            hasher.combine(parts.count)
            for part in parts { part.hash(into: &hasher, levels: levels - 1) }
        case .not(let part):
            hasher.combine(3)
            part.hash(into: &hasher, levels: levels - 1)
        case .comparison(let comparison):
            hasher.combine(comparison.operator)
            hasher.combine(comparison.options)
            hasher.combine(comparison.modifier)
            comparison.left.hash(into: &hasher, levels: levels - 1)
            comparison.right.hash(into: &hasher, levels: levels - 1)
        }
    }
}

private enum TreeHash {
    static let levels = 32
}

extension QueryExpression {
    /// Returns whether two trees are equal, whatever their height.
    public static func == (lhs: QueryExpression, rhs: QueryExpression) -> Bool {
        var comparison = TreeComparison()
        return comparison.areEqual(lhs, rhs) && comparison.areRestEqual()
    }

    /// Hashes the upper levels of a tree.
    public func hash(into hasher: inout Hasher) { hash(into: &hasher, levels: TreeHash.levels) }

    fileprivate func hash(into hasher: inout Hasher, levels: Int) {
        if levels == 0 { return }
        func combine(_ kind: Int, _ parts: QueryExpression...) {
            hasher.combine(kind)
            for part in parts { part.hash(into: &hasher, levels: levels - 1) }
        }
        func combine(_ parts: [QueryExpression]) {
            hasher.combine(parts.count)
            for part in parts { part.hash(into: &hasher, levels: levels - 1) }
        }
        switch self {
        case .constant(let value): hasher.combine(value)
        case .evaluatedObject: hasher.combine(1)
        case .anyKey: hasher.combine(2)
        case .variable(let name), .keyPath(let name): hasher.combine(name)
        case .path(let base, let path):
            hasher.combine(path)
            combine(3, base)
        case .list(let parts): combine(parts)
        case .function(let function, let arguments):
            hasher.combine(function)
            combine(arguments)
        case .custom(let target, let selector, let arguments):
            hasher.combine(selector)
            combine(4, target)
            combine(arguments)
        case .conditional(let condition, let a, let b):
            condition.hash(into: &hasher, levels: levels - 1)
            combine(5, a, b)
        case .subquery(let collection, let variable, let condition):
            hasher.combine(variable)
            combine(6, collection)
            condition.hash(into: &hasher, levels: levels - 1)
        case .combined(let operation, let a, let b):
            hasher.combine(operation)
            combine(7, a, b)
        case .element(let base, let position):
            combine(8, base)
            switch position {
            case .first: hasher.combine(0)
            case .last: hasher.combine(1)
            case .size: hasher.combine(2)
            case .at(let index): combine(3, index)
            }
        case .assignment(let name, let value):
            hasher.combine(name)
            combine(9, value)
        case .fetch(let fetch):
            hasher.combine(fetch.entityName)
            hasher.combine(fetch.countOnly)
            fetch.predicate?.hash(into: &hasher, levels: levels - 1)
        }
    }
}
