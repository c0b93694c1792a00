extension EvaluationScope {
    func compile(_ predicate: ResolvedPredicate) -> CompiledTest {
        switch predicate {
        case .constant(let truth): return { _, _ in truth }
        case .not(let part):
            let test = compile(part)
            return { try !test($0, $1) }
        case .and(let parts):
            let tests = parts.map(compile)
            return { row, resolver in
                for test in tests where try !test(row, resolver) { return false }
                return true
            }
        case .or(let parts):
            let tests = parts.map(compile)
            return { row, resolver in
                for test in tests where try test(row, resolver) { return true }
                return false
            }
        case .comparison(let comparison): return compile(comparison)
        case .test(let test): return compile(test)
        case .exists(let collection) where collection.hasManyWays:
            let ways = compileWays(collection).ways
            return { row, resolver in try !ways(row, resolver).elements.isEmpty }
        case .exists(let collection):
            let traversal = compile(collection).traversal
            return { row, resolver in try !traversal(row, resolver) { _ in false } }
        }
    }

    private func compile(_ comparison: ResolvedComparison) -> CompiledTest {
        let (path, op, options) = (comparison.left, comparison.operator, comparison.options)
        switch comparison.right {
        case .path(let right): return compare(path, op, right, options)
        case .constant(let constant):
            if path.objectEntity != nil { return compareObject(path, op, constant) }
            guard let slot = path.leafSlot else { return { _, _ in false } }
            return prepared { () throws(QueryError) in
                let test = try SlotTest.test(slot, path.leafKind, op, constant, options)
                return testing(path, ifMissing: try ValueTest.holds(.null, op, constant, options: options), test)
            }
        }
    }

    /// Returns a test; where it cannot be prepared, one that throws for every row.
    private func prepared(_ test: () throws(QueryError) -> CompiledTest) -> CompiledTest {
        do throws(QueryError) { return try test() } catch { return { _, _ in throw error } }
    }

    private func compare(
        _ left: PropertyPath, _ op: QueryComparison.Operator, _ right: PropertyPath, _ options: QueryComparison.Options
    ) -> CompiledTest {
        let (leftEnd, rightEnd) = (end(of: left), end(of: right))
        if let test = SlotTest.test(left, op, right, options) {
            return { try test(leftEnd($0, $1), rightEnd($0, $1)) }
        }
        return compare(compile(.path(left)), op, compile(.path(right)), options)
    }

    private func compile(_ test: ResolvedTest) -> CompiledTest {
        guard test.modifier == .direct else { return quantified(test) }
        let (op, options) = (test.operator, test.options)
        switch (test.left, test.right) {
        case (.path(let left), .constant(let constant)):
            return compile(ResolvedComparison(left: left, operator: op, right: .constant(constant), options: options))
        case (.path(let left), .path(let right)): return compare(left, op, right, options)
        case (let left, let right): return compare(compile(left), op, right, options)
        }
    }

    /// Compares some or all elements of a list.
    private func quantified(_ test: ResolvedTest) -> CompiledTest {
        let element = ElementCell()
        let list = compile(test.left)
        let passes = compare({ _, _ in element.value }, test.operator, test.right, test.options)
        let isAny = test.modifier == .any
        return { row, resolver in
            for value in ValueList.elements(of: try list(row, resolver)) {
                element.value = value
                if try passes(row, resolver) == isAny { return isAny }
            }
            return !isAny
        }
    }

    private func compare(
        _ value: @escaping CompiledValue, _ op: QueryComparison.Operator, _ right: ResolvedExpression, _ options: QueryComparison.Options
    ) -> CompiledTest {
        switch right {
        case .constant(let constant):
            return prepared { () throws(QueryError) in
                let test = try ValueTest.prepared(op, constant, options)
                return { try test(value($0, $1)) }
            }
        case .list(let bounds) where op == .between && bounds.count == 2:
            let (low, high) = (compile(bounds[0]), compile(bounds[1]))
            return { row, resolver in
                let value = try value(row, resolver)
                return try ValueTest.holds(value, .greaterOrEqual, low(row, resolver), options: options)
                    && ValueTest.holds(value, .lessOrEqual, high(row, resolver), options: options)
            }
        default: return compare(value, op, compile(right), options)
        }
    }

    private func compare(
        _ left: @escaping CompiledValue, _ op: QueryComparison.Operator, _ right: @escaping CompiledValue,
        _ options: QueryComparison.Options
    ) -> CompiledTest {
        guard op.isTextual else {
            return { try ValueTest.holds(left($0, $1), op, right($0, $1), options: options) }
        }
        // Preparing a pattern costs more than matching it, and often many rows have the same.
        var pattern: Value?
        var prepared: (Value) throws -> Bool = { _ in false }
        return { row, resolver in
            let next = try right(row, resolver)
            if next != pattern {
                pattern = next
                prepared = try ValueTest.prepared(op, next, options)
            }
            return try prepared(left(row, resolver))
        }
    }

    /// Compares the object that a path ends at with IDs.
    private func compareObject(_ path: PropertyPath, _ op: QueryComparison.Operator, _ constant: Value) -> CompiledTest {
        guard op == .equal || op == .notEqual || op == .isIn else { return orderObject(path, op, constant) }
        let ids: [Value] =
            switch (op, constant) {
            case (.isIn, .list(let values)): values
            case (.isIn, _): []
            default: [constant]
            }
        let rootName = path.objectEntity?.rootName
        let admitsNull = ids.contains { $0.isNull }
        let isNegated = op == .notEqual
        // A negative reference is that of a temporary ID, unique in the process.
        var temporary: Set<Int64> = []
        var stored: [StoreID?: Set<Int64>] = [:]
        for case .objectID(let id) in ids where id.entity.rootName == rootName {
            if id.reference < 0 { temporary.insert(id.reference) } else { stored[id.storeID, default: []].insert(id.reference) }
        }
        func isAmong(_ reference: Int64, _ resolver: any RowResolver) -> Bool {
            if reference < 0 { return temporary.contains(reference) }
            if let only = stored.first, stored.count == 1 { return only.value.contains(reference) && only.key == resolver.storeID }
            return stored[resolver.storeID]?.contains(reference) ?? false
        }
        let end = end(of: path)
        let slot = path.leafSlot
        return { row, resolver in
            let end = try end(row, resolver)
            guard let reference = slot.map({ end?.integer($0) }) ?? end?.reference else { return admitsNull != isNegated }
            return isAmong(reference, resolver) != isNegated
        }
    }

    /// Compares the object that a path ends at with an ID by their order, which those of one store and hierarchy have once they are saved.
    private func orderObject(_ path: PropertyPath, _ op: QueryComparison.Operator, _ constant: Value) -> CompiledTest {
        guard case .objectID(let bound) = constant, bound.reference > 0, bound.entity.rootName == path.objectEntity?.rootName else {
            return { _, _ in false }
        }
        let end = end(of: path)
        return { row, resolver in
            guard let reference = try end(row, resolver)?.reference, reference > 0, resolver.storeID == bound.storeID else { return false }
            return op.orders(reference, bound.reference) ?? false
        }
    }
}

private final class ElementCell {
    var value = Value.null
}
