import StrataModel

extension QueryPredicate {
    /// Checks the tree against an entity.
    ///
    /// - Throws: ``QueryError`` for an unknown key, a constant of the wrong type, an operator that does not apply.
    public func resolved(for entity: EntityDescription, in model: ManagedObjectModel) throws(QueryError) -> ResolvedPredicate {
        switch self {
        case .constant(let truth): return .constant(truth)
        case .and(let parts): return .and(try QueryPredicate.resolve(parts, entity, model))
        case .or(let parts): return .or(try QueryPredicate.resolve(parts, entity, model))
        case .not(let part): return .not(try part.resolved(for: entity, in: model))
        case .comparison(let comparison): return try comparison.resolved(for: entity, in: model)
        }
    }

    private static func resolve(
        _ parts: [QueryPredicate], _ entity: EntityDescription, _ model: ManagedObjectModel
    ) throws(QueryError) -> [ResolvedPredicate] {
        var resolved: [ResolvedPredicate] = []
        for part in parts { resolved.append(try part.resolved(for: entity, in: model)) }
        return resolved
    }
}

extension QueryComparison {
    fileprivate func resolved(for entity: EntityDescription, in model: ManagedObjectModel) throws(QueryError) -> ResolvedPredicate {
        func operand(_ expression: QueryExpression) throws(QueryError) -> ResolvedOperand {
            switch expression {
            case .constant(let value): .constant(value)
            case .keyPath(let path): .path(try PropertyPath(path, of: entity, in: model))
            case .evaluatedObject: .path(try PropertyPath("SELF", of: entity, in: model))
            default: throw QueryError(.illegalOperator, entity: entity.name, subject: description, "not supported")
            }
        }
        let (left, right) = (try operand(left), try operand(right))
        switch (left, right) {
        case (.path(let path), .constant(let value)):
            let constant = try coerce(value, for: path, entity, model)
            return .comparison(ResolvedComparison(left: path, operator: `operator`, right: .constant(constant), options: options))
        case (.constant(let value), .path(let path)):
            guard let mirrored = `operator`.mirrored else {
                throw QueryError(.illegalOperator, entity: entity.name, subject: description, "the property belongs on the left")
            }
            let constant = try coerce(value, for: path, entity, model)
            return .comparison(ResolvedComparison(left: path, operator: mirrored, right: .constant(constant), options: options))
        case (.path(let a), .path(let b)):
            guard `operator` != .isIn, `operator` != .between, areComparable(a, b, model) else {
                throw QueryError(.illegalOperator, entity: entity.name, subject: description, "the two properties cannot be compared so")
            }
            if `operator`.isTextual { try checkText(a, entity) }
            return .comparison(ResolvedComparison(left: a, operator: `operator`, right: .path(b), options: options))
        case (.constant(let a), .constant(let b)):
            guard let truth = ValueTest.compare(a, `operator`, b, options) else {
                throw QueryError(.illegalOperator, entity: entity.name, subject: description, "the two constants cannot be compared so")
            }
            return .constant(truth)
        }
    }

    private func areComparable(_ a: PropertyPath, _ b: PropertyPath, _ model: ManagedObjectModel) -> Bool {
        if let a = a.attribute, let b = b.attribute { return a.type == b.type || (a.type.isNumeric && b.type.isNumeric) }
        return `operator`.comparesObjects && a.destination(in: model)?.root == b.destination(in: model)?.root
    }

    private func checkText(_ path: PropertyPath, _ entity: EntityDescription) throws(QueryError) {
        guard path.attribute?.type == .string || path.attribute?.type == .uri else {
            throw QueryError(.illegalOperator, entity: entity.name, subject: description, "\(`operator`.rawValue) is for text")
        }
    }

    private func coerce(
        _ value: Value, for path: PropertyPath, _ entity: EntityDescription, _ model: ManagedObjectModel
    ) throws(QueryError) -> Value {
        if `operator`.isTextual {
            try checkText(path, entity)
            guard case .string(let text) = value else {
                if value.isNull { return .null }
                throw QueryError(.typeMismatch, entity: entity.name, subject: description, "\(`operator`.rawValue) takes text")
            }
            if `operator` == .matches, (try? Regex(text)) == nil {
                throw QueryError(.illegalPattern, entity: entity.name, subject: description, "\(text) is no regular expression")
            }
            return value
        }
        guard path.attribute != nil || `operator`.comparesObjects else {
            throw QueryError(.illegalOperator, entity: entity.name, subject: description, "objects have no order")
        }
        switch (`operator`, value) {
        case (.isIn, .list(let values)):
            var coerced: [Value] = []
            for value in values { coerced.append(try single(value, for: path, entity, model)) }
            return .list(coerced)
        case (.between, .list(let values)) where values.count == 2:
            return .list([try single(values[0], for: path, entity, model), try single(values[1], for: path, entity, model)])
        case (.isIn, _), (.between, _), (_, .list):
            throw QueryError(
                .typeMismatch, entity: entity.name, subject: description,
                "IN takes a list, BETWEEN a list of two values, and other operators take none")
        default:
            return try single(value, for: path, entity, model)
        }
    }

    private func single(
        _ value: Value, for path: PropertyPath, _ entity: EntityDescription, _ model: ManagedObjectModel
    ) throws(QueryError) -> Value {
        if value.isNull { return value }
        if let attribute = path.attribute {
            // A number that the attribute cannot hold still has a place among those that it can.
            if attribute.type.isNumeric {
                switch value {
                case .int, .double, .decimal: return attribute.type.isInteger ? value : attribute.type.coerce(value) ?? value
                default: break
                }
            }
            if let coerced = attribute.type.coerce(value) { return coerced }
        } else if case .objectID(let id) = value, id.entity.rootName == path.destination(in: model)?.rootName {
            return value
        }
        throw QueryError(
            .typeMismatch, entity: entity.name, subject: description, "\(value) is not what \(path.text.isEmpty ? "SELF" : path.text) holds")
    }
}

extension QueryComparison.Operator {
    /// Whether the operator compares text only.
    public var isTextual: Bool {
        switch self {
        case .contains, .beginsWith, .endsWith, .like, .matches: true
        default: false
        }
    }

    /// Whether the operator compares objects.
    var comparesObjects: Bool { self == .equal || self == .notEqual || self == .isIn }

    /// The operator with its operands exchanged, `nil` where there is none.
    var mirrored: QueryComparison.Operator? {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: nil
        }
    }
}
