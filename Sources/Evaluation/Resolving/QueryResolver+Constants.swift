/// The constants of comparisons: converted to the type of the other side, or refused.
extension QueryResolver {
    /// Checks the right side where the left one has no static type.
    func checkRight(_ right: ResolvedExpression, _ comparison: QueryComparison) throws(QueryError) {
        switch (comparison.operator, right) {
        case (.between, .constant(.list(let bounds))) where bounds.count == 2: break
        case (.between, .list(let bounds)) where bounds.count == 2: break
        case (.between, .constant), (.between, .list):
            throw fail(.typeMismatch, comparison.description, "BETWEEN takes a list of two values")
        case (.matches, .constant(.string(let pattern))): try checkPattern(pattern, comparison)
        default: break
        }
    }

    private func checkPattern(_ pattern: String, _ comparison: QueryComparison) throws(QueryError) {
        do throws(QueryError) { _ = try TextTest(.matches, pattern, options: comparison.options) } catch {
            throw fail(error.reason, comparison.description, error.message)
        }
    }

    /// Returns the constant as the property holds it.
    func coerce(_ value: Value, for path: PropertyPath, _ comparison: QueryComparison) throws(QueryError) -> Value {
        let op = comparison.operator
        if op.isTextual {
            guard path.isText else { throw notText(comparison) }
            guard case .string(let text) = value else {
                if value.isNull { return .null }
                throw fail(.typeMismatch, comparison.description, "\(op.rawValue) takes text")
            }
            if op == .matches { try checkPattern(text, comparison) }
            return value
        }
        guard path.attribute != nil || op.comparesObjects || path.isObjectItself && op.orders(0, 0) != nil else {
            throw fail(.illegalOperator, comparison.description, "only the fetched object itself has an order, by its ID")
        }
        switch (op, value) {
        case (.isIn, .list(let values)):
            var coerced: [Value] = []
            coerced.reserveCapacity(values.count)
            // An object of another entity is not among those of the path, as in a selection of objects of several
            // entities.
            for value in values where !value.isObject(foreignTo: path.objectEntity) {
                coerced.append(try single(value, .equal, for: path, comparison))
            }
            return .list(coerced)
        case (.between, .list(let values)) where values.count == 2:
            return .list([
                try single(values[0], .greaterOrEqual, for: path, comparison), try single(values[1], .lessOrEqual, for: path, comparison),
            ])
        case (.isIn, _), (.between, _), (_, .list):
            throw fail(
                .typeMismatch, comparison.description, "IN takes a list, BETWEEN a list of two values, and other operators take none")
        default: return try single(value, op, for: path, comparison)
        }
    }

    /// Returns the side of a comparison with objects, as it was written.
    private func objects(of comparison: QueryComparison) -> String {
        if case .constant = comparison.left { comparison.right.description } else { comparison.left.description }
    }

    private func single(
        _ value: Value, _ op: QueryComparison.Operator, for path: PropertyPath, _ comparison: QueryComparison
    ) throws(QueryError) -> Value {
        if value.isNull { return value }
        if let attribute = path.attribute {
            // A number that the attribute cannot hold is still less or greater than those that it can.
            if let number = attribute.type.operand(value, of: op) { return number }
            if let coerced = attribute.type.coerce(value) { return coerced }
            // An element of a composite value stores an enumeration's case encoded; conditions name its raw value.
            if op == .equal || op == .notEqual, let bytes = attribute.declaration.transformer?.data(fromRawValue: value) {
                return .data(bytes)
            }
        } else if case .objectID(let id) = value, id.entity.rootName == path.objectEntity?.rootName {
            return value
        }
        let found = if case .list = value { "a list" } else { value.description }
        throw fail(
            .typeMismatch, comparison.description, "\(found) is not what \(path.text.isEmpty ? objects(of: comparison) : path.text) holds")
    }
}

extension Value {
    /// Returns whether the value is an object of another entity hierarchy; false without a hierarchy.
    func isObject(foreignTo entity: EntityDescription?) -> Bool {
        guard case .objectID(let id) = self, let entity else { return false }
        return id.entity.rootName != entity.rootName
    }
}
