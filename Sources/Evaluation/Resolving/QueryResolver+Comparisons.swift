import StrataText

extension QueryResolver {
    mutating func resolve(_ comparison: QueryComparison) throws(QueryError) -> ResolvedPredicate {
        var comparison = comparison
        // Prepared operands are compared by their bytes.
        if comparison.options.contains(.normalized) { comparison.options = [] }
        if comparison.modifier == .direct, substitution == nil, hasRoomForOperands, case .keyPath(let text) = comparison.left,
            case .constant(let value) = comparison.right,
            let path = ownAttribute(text)
        {
            return try compare(path, value, comparison)
        }
        if let object = comparison.left.objectOfAnyKey { return try anyKey(of: object, comparison) }
        let left = try shape(comparison.left, takesComposite: comparison.asksForNil(comparison.right))
        guard comparison.modifier == .direct else { return try quantified(comparison, left) }
        switch left {
        case .scalar(let left): return try compare(left, comparison)
        case .several(let collection, let value):
            guard comparison.operator == .contains else { throw severalValues(comparison.left) }
            var element = comparison
            element.operator = .equal
            return .exists(collection.filtered(by: try compare(value ?? collection.elementPath, element)))
        }
    }

    // MARK: - Several elements

    private mutating func quantified(_ comparison: QueryComparison, _ left: Shape) throws(QueryError) -> ResolvedPredicate {
        switch left {
        case .several(let collection, let value): return try quantified(collection, value ?? collection.elementPath, comparison)
        case .scalar(let list): return try quantified(list, comparison)
        }
    }

    private mutating func quantified(
        _ collection: ResolvedCollection, _ value: ResolvedExpression, _ comparison: QueryComparison
    ) throws(QueryError) -> ResolvedPredicate {
        let met = try compare(value, comparison)
        return comparison.modifier == .any ? .exists(collection.filtered(by: met)) : .not(.exists(collection.filtered(by: .not(met))))
    }

    /// Resolves a comparison of some or all elements of a list, which is expanded where the elements are known, for
    /// stores.
    private mutating func quantified(_ list: ResolvedExpression, _ comparison: QueryComparison) throws(QueryError) -> ResolvedPredicate {
        switch list {
        case .values(let collection, let value, _): return try quantified(collection, value, comparison)
        case .combined(.union, let a, let b) where a.isCertainlyList && b.isCertainlyList:
            return joined([try quantified(a, comparison), try quantified(b, comparison)], comparison)
        case .constant(.list(let elements)):
            if let membership = try membership(elements, comparison) { return membership }
            return try quantified(.list(elements.map { .constant($0) }), comparison)
        case .list(let elements):
            var parts: [ResolvedPredicate] = []
            for element in elements { parts.append(try compare(element, comparison)) }
            return joined(parts, comparison)
        case _ where list.mayBeList: return try computed(list, comparison)
        default:
            throw fail(
                .illegalOperator, comparison.description,
                "\(comparison.modifier.rawValue) is about several objects or a list, and the left side is one value")
        }
    }

    private func joined(_ parts: [ResolvedPredicate], _ comparison: QueryComparison) -> ResolvedPredicate {
        comparison.modifier == .any ? .or(parts) : .and(parts)
    }

    /// Resolves membership of a property among constants, for indexes: `ANY {1, 2} == age`, `ALL {1, 2} != age`.
    private mutating func membership(_ elements: [Value], _ comparison: QueryComparison) throws(QueryError) -> ResolvedPredicate? {
        let isAny = comparison.modifier == .any
        guard comparison.operator == (isAny ? .equal : .notEqual), case .scalar(.path(let path)) = try shape(comparison.right) else {
            return nil
        }
        var element = comparison
        element.operator = .isIn
        let constant = try coerce(.list(elements), for: path, element)
        let membership = ResolvedPredicate.comparison(
            ResolvedComparison(left: path, operator: .isIn, right: .constant(constant), options: comparison.options))
        return isAny ? membership : .not(membership)
    }

    /// Resolves a comparison of some or all elements of a list that depends on the row.
    private mutating func computed(_ list: ResolvedExpression, _ comparison: QueryComparison) throws(QueryError) -> ResolvedPredicate {
        let right: ResolvedExpression
        switch try shape(comparison.right) {
        case .scalar(let value): right = value
        case .several(let collection, let value):
            guard comparison.operator == .isIn else { throw severalOnTheRight(comparison) }
            right = collection.values(value)
        }
        try checkRight(right, comparison)
        return .test(ResolvedTest(list, comparison.operator, right, options: comparison.options, modifier: comparison.modifier))
    }

    private func severalOnTheRight(_ comparison: QueryComparison) -> QueryError {
        fail(.illegalKeyPath, comparison.right.description, "it has several values: use IN")
    }

    /// Resolves a comparison of any comparable attribute of an object; after `ALL`, of every one.
    private mutating func anyKey(of object: QueryExpression, _ comparison: QueryComparison) throws(QueryError) -> ResolvedPredicate {
        var modifier = comparison.modifier
        let shape = try shape(object)
        if case .scalar = shape { modifier = .direct }
        guard let owner = shape.objectEntity(in: model) else {
            throw fail(.illegalKeyPath, comparison.left.description, "it is not an object with attributes")
        }
        var parts: [ResolvedPredicate] = []
        for attribute in owner.attributes where !attribute.isTransient {
            var one = comparison
            one.left = object.appending(attribute.name)
            one.modifier = modifier
            do {
                parts.append(try resolve(one))
            } catch {
                guard error.reason == .typeMismatch || error.reason == .illegalOperator else { throw error }
            }
        }
        return comparison.modifier == .all ? .and(parts) : .or(parts)
    }

    // MARK: - Two sides

    /// Compares one value with the right side.
    private mutating func compare(_ left: ResolvedExpression, _ comparison: QueryComparison) throws(QueryError) -> ResolvedPredicate {
        switch try shape(comparison.right, takesComposite: comparison.asksForNil(comparison.left)) {
        case .scalar(let right): return try compare(left, right, comparison)
        case .several(let collection, let value):
            guard comparison.operator == .isIn else { throw severalOnTheRight(comparison) }
            var element = comparison
            element.operator = .equal
            return .exists(collection.filtered(by: try compare(value ?? collection.elementPath, left, element)))
        }
    }

    private func compare(
        _ left: ResolvedExpression, _ right: ResolvedExpression, _ comparison: QueryComparison
    ) throws(QueryError) -> ResolvedPredicate {
        let (op, options) = (comparison.operator, comparison.options)
        let general = ResolvedPredicate.test(ResolvedTest(left, op, right, options: options))
        switch (left, right) {
        case (.path(let path), .constant(let value)): return try compare(path, value, comparison)
        case (.constant, .path(let path)) where path.composite != nil: return whetherNil(path, comparison)
        case (.constant(let value), .path(let path)):
            guard let mirrored = op.mirrored(around: value, path) else { return general }
            var turned = comparison
            turned.operator = mirrored
            return try compare(path, value, turned)
        case (.path(let a), .path(let b)) where a.isObject(foreignTo: b) && (op == .equal || op == .notEqual):
            // Objects of two entity hierarchies are never equal, and nil equals nil.
            let areNil = ResolvedPredicate.and([isNil(a), isNil(b)])
            return op == .equal ? areNil : .not(areNil)
        case (.path(let a), .path(let b)):
            if op == .isIn, a.isText, b.isText {
                return .comparison(ResolvedComparison(left: b, operator: .contains, right: .path(a), options: options))
            }
            guard op != .isIn, op != .between, areComparable(a, op, b) else {
                throw fail(.illegalOperator, comparison.description, "the two properties cannot be compared so")
            }
            if op.isTextual, !a.isText { throw notText(comparison) }
            return .comparison(ResolvedComparison(left: a, operator: op, right: .path(b), options: options))
        case (.constant(let a), .constant(let b)):
            guard let truth = try ValueTest.compare(a, op, b, options: options) else {
                throw fail(.illegalOperator, comparison.description, "the two constants cannot be compared so")
            }
            return .constant(truth)
        case (.aggregate(.count, let collection, of: nil), .constant(.int(0))) where op == .greater || op == .notEqual:
            return .exists(collection)
        case (.aggregate(.count, let collection, of: nil), .constant(.int(0))) where op == .equal || op == .lessOrEqual:
            return .not(.exists(collection))
        default:
            try checkRight(right, comparison)
            return general
        }
    }

    /// Resolves whether a composite attribute as a whole is nil.
    private func whetherNil(_ path: PropertyPath, _ comparison: QueryComparison) -> ResolvedPredicate {
        let areNil = ResolvedPredicate.and(path.elements.map(isNil))
        return comparison.operator == .equal ? areNil : .not(areNil)
    }

    private func isNil(_ path: PropertyPath) -> ResolvedPredicate {
        .comparison(ResolvedComparison(left: path, operator: .equal, right: .constant(.null), options: []))
    }

    private func compare(_ path: PropertyPath, _ value: Value, _ comparison: QueryComparison) throws(QueryError) -> ResolvedPredicate {
        if path.composite != nil { return whetherNil(path, comparison) }
        // An object of another entity hierarchy is not among those of the path.
        if value.isObject(foreignTo: path.objectEntity), comparison.operator == .equal || comparison.operator == .notEqual {
            return .constant(comparison.operator == .notEqual)
        }
        if comparison.operator == .isIn, case .string = value, path.isText {
            return .test(ResolvedTest(.path(path), .isIn, .constant(value), options: comparison.options))
        }
        return .comparison(
            ResolvedComparison(
                left: path, operator: comparison.operator, right: .constant(try coerce(value, for: path, comparison)),
                options: comparison.options))
    }

    private func areComparable(_ a: PropertyPath, _ op: QueryComparison.Operator, _ b: PropertyPath) -> Bool {
        if let aType = a.attribute?.type, let bType = b.attribute?.type {
            return aType == bType || (a.isText && b.isText) || (a.hasMagnitude && b.hasMagnitude)
        }
        return op.comparesObjects && a.objectEntity?.root == b.objectEntity?.root
    }

    func notText(_ comparison: QueryComparison) -> QueryError {
        fail(.illegalOperator, comparison.description, "\(comparison.operator.rawValue) is for text")
    }
}

extension QueryComparison {
    /// Returns whether one side is nil, and the comparison tests whether the other is: all that composite attributes
    /// support as a whole.
    fileprivate func asksForNil(_ side: QueryExpression) -> Bool {
        guard case .constant(.null) = side else { return false }
        return self.operator == .equal || self.operator == .notEqual
    }
}

extension QueryExpression {
    /// The object of which any attribute is meant; `nil` for other expressions.
    fileprivate var objectOfAnyKey: QueryExpression? {
        func start(_ path: String) -> String? {
            path.hasSuffix("." + QueryExpression.anyKeyOfPath) ? String(path.dropLast(QueryExpression.anyKeyOfPath.count + 1)) : nil
        }
        switch self {
        case .anyKey, .keyPath(QueryExpression.anyKeyOfPath): return .evaluatedObject
        case .keyPath(let path): return start(path).map { .keyPath($0) }
        case .path(let base, QueryExpression.anyKeyOfPath): return base
        case .path(let base, let path): return start(path).map { .path(base, $0) }
        default: return nil
        }
    }
}

extension PropertyPath {
    /// Returns whether both paths end at objects, of two entity hierarchies.
    fileprivate func isObject(foreignTo other: PropertyPath) -> Bool {
        guard let own = objectEntity, let other = other.objectEntity else { return false }
        return own.root != other.root
    }

    var isText: Bool { attribute?.type == .string || attribute?.type == .uri }

    /// Whether the path ends at a number, or at a truth value, which counts as 0 or 1.
    var hasMagnitude: Bool { attribute.map { $0.type.isNumeric || $0.type == .boolean } ?? false }
}
