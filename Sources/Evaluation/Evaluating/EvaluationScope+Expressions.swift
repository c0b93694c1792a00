extension EvaluationScope {
    func compile(_ expression: ResolvedExpression) -> CompiledValue {
        switch expression {
        case .constant(let value): return { _, _ in value }
        case .path(let path):
            if let entity = path.objectEntity { return object(path, entity) }
            guard let slot = path.leafSlot else { return { _, _ in .null } }
            let kind = path.leafKind
            if !kind.isVariable { return computing(path) { $0.value(slot, kind) } }
            return computing(path) { row in
                try row.requireAvailable(slot, kind)
                return row.value(slot, kind)
            }
        case .entityName(let path, let names): return entityName(path, names)
        case .aggregate(let function, let collection, let value): return aggregate(function, collection, value)
        case .element(let collection, let position, let value): return element(collection, position, value)
        case .values(let collection, let value, let isDistinct): return values(collection, value, isDistinct)
        case .function(let function, let arguments): return compile(function, arguments)
        case .custom(_, let function, let arguments):
            let arguments = arguments.map(compile)
            return { row, resolver in try function(arguments.map { try $0(row, resolver).withReferences }) }
        case .conditional(let condition, let a, let b):
            let (condition, a, b) = (compile(condition), compile(a), compile(b))
            return { try condition($0, $1) ? a($0, $1) : b($0, $1) }
        case .list(let parts):
            let parts = parts.map(compile)
            return { row, resolver in .list(try parts.map { try $0(row, resolver) }) }
        case .combined(let operation, let a, let b):
            let (a, b) = (compile(a), compile(b))
            return { try ValueList.combine(operation, a($0, $1), b($0, $1)) }
        case .column(let index):
            frame.readsTuple = true
            let frame = frame
            return { _, _ in frame.tuple.indices.contains(index) ? frame.tuple[index] : .null }
        }
    }

    /// Returns the object that a path ends at, as an ID: within an expression an object equals itself and its ID, and
    /// nothing else.
    private func object(_ path: PropertyPath, _ entity: EntityDescription) -> CompiledValue {
        let end = end(of: path)
        let slot = path.leafSlot
        let temporary = ObjectIDScope(storeID: nil, entity: entity)
        var stored = temporary
        return { row, resolver in
            let end = try end(row, resolver)
            guard let reference = slot.map({ end?.integer($0) }) ?? end?.reference else { return .null }
            if reference < 0 { return .objectID(ObjectID(scope: temporary, reference: reference)) }
            if let storeID = resolver.storeID, stored.isTemporary || stored.storeID != storeID {
                stored = ObjectIDScope(storeID: storeID, entity: entity)
            }
            return .objectID(ObjectID(scope: stored, reference: reference))
        }
    }

    private func entityName(_ path: PropertyPath, _ names: [String]) -> CompiledValue {
        let end = end(of: path)
        let values = names.map { Value.string($0) }
        return { row, resolver in
            guard let index = try end(row, resolver)?.entityIndex, values.typedIndices().contains(index) else { return .null }
            return values[index]
        }
    }

    private func aggregate(_ function: AggregateFunction, _ collection: ResolvedCollection, _ value: ResolvedExpression?) -> CompiledValue {
        if collection.hasManyWays { return aggregateWays(function, collection, value) }
        let (traversal, scope) = compile(collection)
        guard let value else {
            guard function == .count || function == .countDistinct else { return { _, _ in try AggregatePartial().value(of: function) } }
            return { row, resolver in
                var count: Int64 = 0
                _ = try traversal(row, resolver) { _ in
                    count += 1
                    return true
                }
                return .int(count)
            }
        }
        let compute = scope.compile(value)
        return { row, resolver in
            var partial = AggregatePartial()
            _ = try traversal(row, resolver) { element in
                partial.add(try compute(element, resolver), for: function)
                return true
            }
            return try partial.value(of: function)
        }
    }

    private func aggregateWays(
        _ function: AggregateFunction, _ collection: ResolvedCollection, _ value: ResolvedExpression?
    ) -> CompiledValue {
        let (elements, scope) = compileWays(collection)
        let compute = value.map { scope.compile($0) }
        return { row, resolver in
            let found = try elements(row, resolver)
            guard let compute else {
                guard function == .count || function == .countDistinct else { return try AggregatePartial().value(of: function) }
                return Int64(exactly: found.count).map { .int($0) } ?? .double(found.count)
            }
            let countsOnce = function == .min || function == .max || function == .countDistinct
            if !countsOnce { try ResolvedCollection.check(found.count) }
            var partial = AggregatePartial()
            for (element, ways) in found.elements {
                let value = try compute(element, resolver)
                for _ in 0..<(countsOnce ? 1 : Int(ways)) { partial.add(value, for: function) }
            }
            return try partial.value(of: function)
        }
    }

    /// Returns a traversal of all paths, and the scope of what is computed of the elements; it throws where the paths
    /// are too many.
    private func boundedTraversal(_ collection: ResolvedCollection) -> (traversal: CompiledTraversal, scope: EvaluationScope) {
        let (traversal, scope) = compile(collection)
        guard collection.hasManyWays else { return (traversal, scope) }
        let elements = compileWays(collection).ways
        return (
            { row, resolver, body in
                try ResolvedCollection.check(try elements(row, resolver).most)
                return try traversal(row, resolver, body)
            }, scope
        )
    }

    private func element(_ collection: ResolvedCollection, _ position: ResolvedPosition, _ value: ResolvedExpression) -> CompiledValue {
        let (traversal, scope) = boundedTraversal(collection)
        let compute = scope.compile(value)
        let index: CompiledValue
        switch position {
        case .last:
            return { row, resolver in
                var last: Row?
                _ = try traversal(row, resolver) { element in
                    last = element
                    return true
                }
                return try last.map { try compute($0, resolver) } ?? .null
            }
        case .first: index = { _, _ in .int(0) }
        case .at(let expression): index = compile(expression)
        }
        return { row, resolver in
            guard var left = try index(row, resolver).integer, left >= 0 else { return .null }
            var found = Value.null
            _ = try traversal(row, resolver) { element in
                if left == 0 { found = try compute(element, resolver) }
                left -= 1
                return left >= 0
            }
            return found
        }
    }

    private func values(_ collection: ResolvedCollection, _ value: ResolvedExpression, _ isDistinct: Bool) -> CompiledValue {
        let (traversal, scope) = boundedTraversal(collection)
        let compute = scope.compile(value)
        return { row, resolver in
            var values: [Value] = []
            _ = try traversal(row, resolver) { element in
                values.append(try compute(element, resolver))
                return true
            }
            return .list(isDistinct ? ValueList.distinct(values) : values)
        }
    }
}
