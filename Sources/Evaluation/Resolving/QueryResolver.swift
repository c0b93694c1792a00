/// Checks trees against a model: resolves key paths, turns quantified comparisons and subqueries into collections, and
/// converts constants to the compared types.
struct QueryResolver {
    /// Resolves an expression differently; `nil` leaves it to the resolver.
    typealias Substitution = (QueryExpression) throws(QueryError) -> ResolvedExpression?

    /// The result of an expression.
    enum Shape {
        /// One value, or a list that is a value.
        case scalar(ResolvedExpression)
        /// The objects of a collection, or a value of each.
        case several(ResolvedCollection, ResolvedExpression?)

        /// Returns the entity of the objects; `nil` for other values.
        func objectEntity(in model: ManagedObjectModel) -> EntityDescription? {
            switch self {
            case .scalar(let value), .several(_, let value?): value.objectEntity(in: model)
            case .several(let collection, nil): collection.entity
            }
        }
    }

    let entity: EntityDescription
    let model: ManagedObjectModel
    let substitution: Substitution?
    lazy var now = Date()
    /// Whether `now()` is that value, and not the moment of compiling.
    var foldsTime = true
    /// Whether a resolved expression contains `now()`.
    var readsTime = false
    var nextVariable = 1
    var variables: [String: Shape] = [:]
    private var depth = 0

    init(_ entity: EntityDescription, _ model: ManagedObjectModel, _ substitution: Substitution? = nil) {
        self.entity = entity
        self.model = model
        self.substitution = substitution
    }

    func fail(_ reason: QueryError.Reason, _ subject: @autoclosure () -> String, _ message: String) -> QueryError {
        QueryError(reason, entity: entity.name, subject: subject(), message)
    }

    // MARK: - Predicates

    mutating func resolve(_ predicate: QueryPredicate) throws(QueryError) -> ResolvedPredicate {
        try enter()
        defer { depth -= 1 }
        switch predicate {
        case .constant(let truth): return .constant(truth)
        case .and(let parts): return .and(try resolve(parts))
        case .or(let parts): return .or(try resolve(parts))
        case .not(let part): return .not(try resolve(part))
        case .comparison(let comparison): return try resolve(comparison)
        }
    }

    private mutating func resolve(_ parts: [QueryPredicate]) throws(QueryError) -> [ResolvedPredicate] {
        var resolved: [ResolvedPredicate] = []
        resolved.reserveCapacity(parts.count)
        for part in parts { resolved.append(try resolve(part)) }
        return resolved
    }

    private mutating func enter() throws(QueryError) {
        if depth == QueryPredicate.greatestDepth { throw tooDeep }
        depth += 1
    }

    private var tooDeep: QueryError {
        fail(.tooDeep, "the query", "it is nested more than \(QueryPredicate.greatestDepth) levels deep")
    }

    // MARK: - Expressions

    /// Whether the operands of a comparison, and the elements of a list there, are within the greatest depth.
    var hasRoomForOperands: Bool { depth + 2 <= QueryPredicate.greatestDepth }

    /// Resolves an expression that must have one value.
    mutating func scalar(_ expression: QueryExpression) throws(QueryError) -> ResolvedExpression {
        guard case .scalar(let value) = try shape(expression) else { throw severalValues(expression) }
        return value
    }

    /// Resolves one value that is an argument of an argument.
    mutating func marked(_ expression: QueryExpression) throws(QueryError) -> ResolvedExpression {
        try enter()
        defer { depth -= 1 }
        return try scalar(expression)
    }

    func severalValues(_ expression: QueryExpression) -> QueryError {
        fail(.illegalKeyPath, expression.description, "it has several values: use ANY, ALL, NONE, an aggregate such as @count, or SUBQUERY")
    }

    // The functions that call each other for every level of nesting do little themselves, so that their frames are
    // small.
    /// - Parameter takesComposite: Whether a path may end at a composite attribute as a whole.
    mutating func shape(_ expression: QueryExpression, takesComposite: Bool = false) throws(QueryError) -> Shape {
        try enter()
        defer { depth -= 1 }
        if substitution != nil, let substituted = try substituted(expression) { return substituted }
        switch expression {
        case .constant, .evaluatedObject, .variable, .keyPath, .anyKey, .fetch: return try leaf(expression, takesComposite)
        case .path(let base, let text): return try follow(text, from: base, takesComposite: takesComposite)
        case .subquery(let base, let name, let condition): return try subquery(base, name, condition)
        default: return .scalar(try computed(expression))
        }
    }

    private func substituted(_ expression: QueryExpression) throws(QueryError) -> Shape? {
        if let found = try substitution?(expression) { .scalar(found) } else { nil }
    }

    /// Resolves an expression without parts.
    private mutating func leaf(_ expression: QueryExpression, _ takesComposite: Bool) throws(QueryError) -> Shape {
        switch expression {
        case .constant(let value):
            if case .list = value, !value.isNested(atMost: QueryPredicate.greatestDepth - depth) { throw tooDeep }
            return .scalar(.constant(value))
        case .variable(let name): return try variable(name)
        case .keyPath(let text):
            if let path = ownAttribute(text) { return .scalar(.path(path)) }
            return try follow(text, from: .object(variable: 0, entity), takesComposite: takesComposite)
        case .anyKey: throw fail(.illegalOperator, "ANYKEY", "it stands alone on the left of a comparison")
        case .fetch(let fetch): throw fail(.illegalOperator, "FETCH(\(fetch.entityName))", "only a context can run it")
        default:
            let object = PropertyPath(variable: 0, entity: entity, steps: [], leaf: .object, objectEntity: entity, text: "")
            return .scalar(.path(object))
        }
    }

    private mutating func computed(_ expression: QueryExpression) throws(QueryError) -> ResolvedExpression {
        switch expression {
        case .function(let function, let arguments): try call(function, arguments)
        case .list(let elements): try list(elements)
        case .custom(let target, let selector, let arguments): try custom(target, selector, arguments)
        case .conditional(let condition, let a, let b): .conditional(try resolve(condition), try scalar(a), try scalar(b))
        case .combined(let operation, let a, let b): .combined(operation, try values(a), try values(b))
        case .element(let base, let position): try element(base, position)
        case .assignment(let name, let value): try assign(name, value)
        default: .constant(.null)
        }
    }

    private mutating func custom(
        _ target: QueryExpression, _ selector: String, _ arguments: [QueryExpression]
    ) throws(QueryError) -> ResolvedExpression {
        // Printed and read again, it would be the other one.
        if let own = QueryFunction(selector: selector) {
            throw fail(.unknownFunction, selector, "a program's function cannot have a name of the language's own \(own.rawValue)")
        }
        guard let function = QueryFunctionTable.function(selector) else {
            throw fail(.unknownFunction, selector, "no function of that name was registered")
        }
        return .custom(selector, function, try scalars([target] + arguments))
    }

    private mutating func assign(_ name: String, _ expression: QueryExpression) throws(QueryError) -> ResolvedExpression {
        let value = try scalar(expression)
        variables[name] = .scalar(value)
        return value
    }

    /// Returns the path of the fetched object's own attribute: the common case, without a traversal.
    func ownAttribute(_ name: String) -> PropertyPath? {
        guard let attribute = entity.attribute(named: name), let slot = attribute.slot else { return nil }
        return PropertyPath(variable: 0, entity: entity, steps: [], leaf: .attribute(attribute, slot: slot), objectEntity: nil, text: name)
    }

    mutating func scalars(_ expressions: [QueryExpression]) throws(QueryError) -> [ResolvedExpression] {
        var resolved: [ResolvedExpression] = []
        for expression in expressions { resolved.append(try scalar(expression)) }
        return resolved
    }

    private func variable(_ name: String) throws(QueryError) -> Shape {
        guard let bound = variables[name] else { throw fail(.unboundVariable, "$" + name, "nothing gives the variable a value") }
        return bound
    }

    private mutating func list(_ elements: [QueryExpression]) throws(QueryError) -> ResolvedExpression {
        let resolved = try scalars(elements)
        let constants = resolved.compactMap(\.constant)
        return constants.count == resolved.count ? .constant(.list(constants)) : .list(resolved)
    }

    /// Resolves an expression as one value, or a list of several.
    mutating func values(_ expression: QueryExpression) throws(QueryError) -> ResolvedExpression {
        switch try shape(expression) {
        case .scalar(let list): return list
        case .several(let collection, let value): return collection.values(value)
        }
    }

    private mutating func subquery(_ base: QueryExpression, _ name: String, _ condition: QueryPredicate) throws(QueryError) -> Shape {
        // Names within a subquery have no meaning outside of it.
        let outer = variables
        defer { variables = outer }
        let collection = try objects(base)
        variables[name] = .scalar(collection.elementPath)
        return .several(collection.filtered(by: try resolve(condition)), nil)
    }

    private mutating func objects(_ base: QueryExpression) throws(QueryError) -> ResolvedCollection {
        let (origin, path): (ResolvedCollection.Origin, PropertyPath?)
        switch try shape(base) {
        case .several(let collection, nil): return collection
        case .several(let collection, let value?): (origin, path) = (.collection(collection), value.path)
        case .scalar(let value): (origin, path) = (.variable(value.path?.variable ?? 0), value.path)
        }
        guard let path, case .toOne(let relationship, let slot) = path.leaf else {
            throw fail(.illegalKeyPath, base.description, "SUBQUERY goes through the objects of a relationship")
        }
        let destination = model.destination(of: relationship)
        let last = ResolvedCollection.Step(relationship: relationship, slot: slot, destination: destination)
        defer { nextVariable += 1 }
        return ResolvedCollection(
            origin: origin, steps: path.steps.map { ResolvedCollection.Step($0) } + [last], variable: nextVariable, entity: destination)
    }

    private mutating func element(_ base: QueryExpression, _ position: QueryExpression.Position) throws(QueryError) -> ResolvedExpression {
        let shape = try shape(base)
        switch (shape, position) {
        case (.several(let collection, let value), .size): return .aggregate(.count, collection, of: value)
        case (.several(let collection, let value), .first): return .element(collection, .first, of: value ?? collection.elementPath)
        case (.several(let collection, let value), .last): return .element(collection, .last, of: value ?? collection.elementPath)
        case (.several(let collection, let value), .at(let index)):
            return .element(collection, .at(try scalar(index)), of: value ?? collection.elementPath)
        case (.scalar(let list), .size): return .function(.count, [list])
        case (.scalar(let list), .first): return .function(.objectAt, [list, .constant(.int(0))])
        case (.scalar(let list), .last):
            return .function(.objectAt, [list, .function(.subtract, [.function(.count, [list]), .constant(.int(1))])])
        case (.scalar(let list), .at(let index)): return .function(.objectAt, [list, try scalar(index)])
        }
    }
}

extension Value {
    fileprivate func isNested(atMost levels: Int) -> Bool {
        guard case .list(let values) = self else { return true }
        if levels == 0 { return false }
        for value in values where !value.isNested(atMost: levels - 1) { return false }
        return true
    }
}

extension ResolvedCollection {
    /// Returns the list of a value of each element; without one, of the elements.
    func values(_ value: ResolvedExpression?, isDistinct: Bool = false) -> ResolvedExpression {
        .values(self, of: value ?? elementPath, isDistinct: isDistinct)
    }

    /// The path without steps: an element of a collection is itself its value.
    var elementPath: ResolvedExpression {
        .path(PropertyPath(variable: variable, entity: entity, steps: [], leaf: .object, objectEntity: entity, text: ""))
    }
}

extension ResolvedExpression {
    var isCertainlyList: Bool {
        switch self {
        case .list, .values, .constant(.list), .function(.joined, _): true
        case .combined(_, let a, let b): a.isCertainlyList && b.isCertainlyList
        default: false
        }
    }

    var mayBeList: Bool {
        switch self {
        case .combined, .list, .values, .custom, .function(.mode, _), .function(.joined, _), .constant(.list), .constant(.null): true
        case .conditional(_, let a, let b): a.mayBeList || b.mayBeList
        default: false
        }
    }

    /// The value, `nil` for any other expression.
    public var constant: Value? { if case .constant(let value) = self { value } else { nil } }
}
