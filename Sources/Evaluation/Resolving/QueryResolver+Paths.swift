import StrataText

extension QueryResolver {
    /// Returns the values at the end of a path from another expression's value.
    mutating func follow(_ text: String, from base: QueryExpression, takesComposite: Bool) throws(QueryError) -> Shape {
        // Resolved first, so that no more than this is on the stack meanwhile.
        let base = try shape(base)
        return try follow(text, from: base, takesComposite)
    }

    private mutating func follow(_ text: String, from base: Shape, _ takesComposite: Bool) throws(QueryError) -> Shape {
        switch base {
        case .several(let collection, nil): return try follow(text, from: .collection(collection), takesComposite: takesComposite)
        case .several(let collection, .path(let path)):
            return try follow(path.extended(by: text), from: .collection(collection), takesComposite: takesComposite)
        case .scalar(.path(let path)):
            return try follow(path.extended(by: text), from: .object(variable: path.variable, path.entity), takesComposite: takesComposite)
        case .scalar(.element(let collection, let position, .path(let path))):
            let start = KeyPathTraversal.Start.object(variable: path.variable, path.entity)
            guard case .scalar(.path(let longer)) = try follow(path.extended(by: text), from: start) else {
                throw fail(.illegalKeyPath, text, "it does not have a single value")
            }
            return .scalar(.element(collection, position, of: .path(longer)))
        case .several(let collection, let value?):
            return .scalar(try apply(KeyPathText.names(text)[...], of: text, to: .several(collection, value)))
        case .scalar(let value): return .scalar(try apply(KeyPathText.names(text)[...], of: text, to: .scalar(value)))
        }
    }

    /// Returns the values at the end of a path.
    mutating func follow(_ text: String, from start: KeyPathTraversal.Start, takesComposite: Bool = false) throws(QueryError) -> Shape {
        let names = KeyPathText.names(text)
        let isOperator: (String) -> Bool = { $0.hasPrefix("@") }
        guard let first = names.firstIndex(where: isOperator) else {
            return try traverse(names[...], of: text, from: start, takesComposite: takesComposite)
        }
        // Names behind an operator belong to its operand: `@sum.price` after `items` is `items.price.@sum`.
        let next = names[(first + 1)...].firstIndex(where: isOperator) ?? names.endIndex
        let operand = Array(names[..<first] + names[(first + 1)..<next])
        let values = try traverse(operand[...], of: text, from: start)
        return .scalar(try apply([names[first]] + names[next...], of: text, to: values))
    }

    private mutating func traverse(
        _ names: ArraySlice<String>, of text: String, from start: KeyPathTraversal.Start, takesComposite: Bool = false
    ) throws(QueryError) -> Shape {
        let traversal = try KeyPathTraversal(
            .init(names: names, text: text), from: start, in: model, nextVariable: &nextVariable, takesComposite: takesComposite)
        func value(_ path: PropertyPath) -> ResolvedExpression {
            traversal.isEntityName ? .entityName(path, names: model.entities.map(\.name)) : .path(path)
        }
        switch traversal.end {
        case .single(let path): return .scalar(value(path))
        case .several(let collection, let path): return .several(collection, path.map(value))
        }
    }

    /// Applies collection operators, at least one, in order.
    private func apply(_ operators: ArraySlice<String>, of text: String, to operand: Shape) throws(QueryError) -> ResolvedExpression {
        var result = try apply(operators[operators.startIndex], of: text, to: operand)
        for name in operators.dropFirst() { result = try apply(name, of: text, to: .scalar(result)) }
        return result
    }

    private func apply(_ name: String, of text: String, to operand: Shape) throws(QueryError) -> ResolvedExpression {
        switch operand {
        case .several(let collection, let value):
            switch name {
            case "@unionOfObjects", "@unionOfArrays", "@unionOfSets": return collection.values(value)
            case "@distinctUnionOfObjects", "@distinctUnionOfArrays", "@distinctUnionOfSets":
                return collection.values(value, isDistinct: true)
            case "@mode": return .function(.mode, [collection.values(value)])
            default:
                guard let function = AggregateFunction(collectionOperator: name) else {
                    throw fail(.unknownFunction, text, "there is no collection operator \(name)")
                }
                guard function == .count || value?.isAttribute == true else {
                    throw fail(.illegalKeyPath, text, "\(name) needs an attribute of the objects")
                }
                return .aggregate(function, collection, of: value)
            }
        case .scalar(let list):
            if case .path(let path) = list {
                throw fail(.illegalKeyPath, text, "\(path.text.isEmpty ? "SELF" : path.text) is one value: \(name) is for several")
            }
            if case .constant(.objectID) = list {
                throw fail(.illegalKeyPath, text, "only a context can follow a path from a given object")
            }
            guard name.hasPrefix("@") else {
                throw fail(.illegalKeyPath, text, "\(name) is no property of a value that is computed or constant")
            }
            switch name {
            case "@mode": return .function(.mode, [list])
            case "@unionOfObjects", "@unionOfArrays", "@unionOfSets": return list
            case "@distinctUnionOfObjects", "@distinctUnionOfArrays", "@distinctUnionOfSets":
                return .combined(.union, list, .constant(.list([])))
            default:
                guard let function = AggregateFunction(collectionOperator: name)?.overValues else {
                    throw fail(.unknownFunction, text, "there is no collection operator \(name)")
                }
                return .function(function, [list])
            }
        }
    }

    // MARK: - Functions

    mutating func call(_ function: QueryFunction, _ arguments: [QueryExpression]) throws(QueryError) -> ResolvedExpression {
        if let chain = OperatorChain(function, arguments), chain.links.count > 1 { return try resolve(chain) }
        if !function.takes(arguments.count) { throw wrongNumber(of: arguments, function) }
        if arguments.count == 1, let aggregate = try aggregate(function, arguments[0]) { return aggregate }
        if function == .cast, case .constant(.string(let uri)) = arguments[0], case .constant(.string("NSManagedObjectID")) = arguments[1] {
            return .constant(.objectID(try objectID(uri)))
        }
        if function.datePart != nil, case .constant(.string(let zone)) = arguments[1], ZoneRules.named(zone) == nil {
            throw fail(.unknownTimeZone, function.rawValue, "the system has no time zone \(zone)")
        }
        if function == .joined {
            var lists: [ResolvedExpression] = []
            for argument in arguments { lists.append(try values(argument)) }
            return folded(function, lists)
        }
        return folded(function, try scalars(arguments))
    }

    /// Resolves a chain of operators; its constant beginning is computed once.
    private mutating func resolve(_ chain: OperatorChain) throws(QueryError) -> ResolvedExpression {
        let beginning = try substitutedBeginning(of: chain)
        let known = beginning?.length ?? 0
        var first = if let beginning { beginning.value } else { try scalar(chain.first) }
        var links: [(function: QueryFunction, operand: ResolvedExpression)] = []
        links.reserveCapacity(chain.links.count)
        let isMixed = chain.isMixed
        for (function, operand) in chain.links.dropFirst(known) {
            let operand = try isMixed && function != function.chain ? marked(operand) : scalar(operand)
            if links.isEmpty, let value = first.constant, let other = operand.constant {
                first = .constant(function.value(of: [value, other]))
            } else {
                links.append((function, operand))
            }
        }
        return .chain(first, links)
    }

    /// Returns the longest beginning of a chain with a substitution: in a group, the key `a + b` of `a + b - c`.
    private func substitutedBeginning(of chain: OperatorChain) throws(QueryError) -> (value: ResolvedExpression, length: Int)? {
        guard let substitution else { return nil }
        var beginning = OperatorChain(chain.first)
        var found: (ResolvedExpression, Int)?
        for (index, link) in chain.links.dropLast().prefix(16).enumerated() {
            beginning.append(link.function, link.operand)
            if let known = try substitution(beginning.expression) { found = (known, index + 1) }
        }
        return found
    }

    private func wrongNumber(of arguments: [QueryExpression], _ function: QueryFunction) -> QueryError {
        let count = function.argumentCount.map { $0.counted("argument") } ?? "another number of arguments"
        return fail(.unknownFunction, function.rawValue, "it takes \(count), not \(arguments.count)")
    }

    /// Returns a statistic over several objects; `nil` for any other call.
    private mutating func aggregate(_ function: QueryFunction, _ argument: QueryExpression) throws(QueryError) -> ResolvedExpression? {
        guard let aggregate = AggregateFunction(function) ?? (function == .mode ? .count : nil) else { return nil }
        switch try shape(argument) {
        case .scalar(let value): return folded(function, [value])
        case .several(let collection, let value):
            if function == .mode { return .function(.mode, [collection.values(value)]) }
            guard aggregate == .count || value?.isAttribute == true else {
                throw fail(.illegalKeyPath, argument.description, "\(function.rawValue) needs an attribute of the objects")
            }
            return .aggregate(aggregate, collection, of: value)
        }
    }

    /// Resolves a call; a constant one is computed once, so that an index can answer it.
    private mutating func folded(_ function: QueryFunction, _ arguments: [ResolvedExpression]) -> ResolvedExpression {
        if function == .now {
            readsTime = true
            return foldsTime ? .constant(.date(now)) : .function(.now, [])
        }
        let constants = arguments.compactMap(\.constant)
        guard constants.count == arguments.count, function.isConstant else { return .function(function, arguments) }
        return .constant(function.value(of: constants))
    }

    private func objectID(_ uri: String) throws(QueryError) -> ObjectID {
        guard let parts = ObjectURI(uri), let entity = model.entity(named: parts.entityName) else {
            throw fail(.typeMismatch, uri, "it is no URI of an object of this model")
        }
        return ObjectID(scope: ObjectIDScope(storeID: parts.storeID, entity: entity), reference: parts.reference)
    }
}

extension AggregateFunction {
    /// Creates the function of a collection operator, such as `@avg`; `nil` for any other name.
    public init?(collectionOperator name: String) {
        switch name {
        case "@count": self = .count
        case "@sum": self = .sum
        case "@avg", "@average": self = .average
        case "@min": self = .min
        case "@max": self = .max
        case "@median": self = .median
        case "@stddev": self = .standardDeviation
        default: return nil
        }
    }

    /// The function over a list that corresponds to this one over several objects.
    var overValues: QueryFunction? { QueryFunction.allCases.first { AggregateFunction($0) == self } }

    /// Creates the function that computes over several objects what a query function computes over its arguments; `nil` where there is none.
    public init?(_ function: QueryFunction) {
        switch function {
        case .count: self = .count
        case .sum: self = .sum
        case .average: self = .average
        case .min: self = .min
        case .max: self = .max
        case .median: self = .median
        case .standardDeviation: self = .standardDeviation
        default: return nil
        }
    }
}

extension ResolvedExpression {
    var isAttribute: Bool { path?.attribute != nil }
}

extension PropertyPath {
    /// Returns the text of the path with further names.
    func extended(by more: String) -> String {
        if case .object = leaf, steps.isEmpty { return more }
        return text + "." + more
    }
}
