import StrataCoordinator
import StrataStore

/// The stores' part of a dictionary fetch, and the conversion of their answer to dictionaries.
struct DictionaryFetch {
    /// The plan, without what has to wait until the answer is complete.
    private(set) var plan: FetchPlan
    private let results: [ExpressionDescription]
    private let isDistinct: Bool
    private let limit: Int?
    private let offset: Int
    /// The work that is left on the tuples of the answer.
    private let finish: Finish

    private enum Finish {
        /// The tuples are the results, whole and in order.
        case nothing
        /// The results are the first columns of the tuples, which are sorted by others.
        case sort([TupleSort])
        /// The tuples are keys and aggregates: groups are filtered and sorted, and the results computed of them.
        case groups([GroupPlan.Function], having: ResolvedPredicate?, [TupleSort], outputs: [ResolvedExpression])
    }

    /// - Parameter plan: The plan of the request's objects, without its sort keys.
    init(_ request: ObjectFetchRequest<ManagedObject>, _ plan: FetchPlan, _ model: ManagedObjectModel) throws(QueryError) {
        let entity = plan.entity
        var request = request
        if model.hasCompositeAttributes {
            request.propertiesToFetch = request.propertiesToFetch?.flatMap { $0.elements(of: entity, in: model) }
            request.propertiesToGroupBy = request.propertiesToGroupBy.flatMap { $0.elements(of: entity, in: model) }
        }
        let asked = request.propertiesToFetch ?? []
        let isGrouped =
            !request.propertiesToGroupBy.isEmpty || request.havingPredicate != nil
            || asked.contains { GroupCompiler.hasAggregate($0.expression, entity, model) }
        results =
            if !asked.isEmpty { asked } else if isGrouped { request.propertiesToGroupBy } else {
                entity.attributes.filter { !$0.isTransient }.map { ExpressionDescription($0.name) }
            }
        try DictionaryFetch.checkNames(results, entity)
        isDistinct = request.returnsDistinctResults
        (limit, offset) = (plan.limit, plan.offset)
        self.plan = plan
        let finish = isGrouped ? DictionaryFetch.group : DictionaryFetch.list
        self.finish = try finish(request, results, &self.plan, model)
    }

    private static func checkNames(_ results: [ExpressionDescription], _ entity: EntityDescription) throws(QueryError) {
        var names: Set<String> = []
        for result in results where !names.insert(result.name).inserted || result.name.isEmpty {
            throw QueryError(.duplicateName, entity: entity.name, subject: result.name, "each property to fetch has a name of its own")
        }
    }

    // MARK: - Plans

    private static func group(
        _ request: ObjectFetchRequest<ManagedObject>, _ results: [ExpressionDescription], _ plan: inout FetchPlan,
        _ model: ManagedObjectModel
    ) throws(QueryError) -> Finish {
        let compiler = try GroupCompiler(plan.entity, model, keys: request.propertiesToGroupBy, results: results)
        var outputs: [ResolvedExpression] = []
        for result in results { outputs.append(try compiler.compile(result.expression)) }
        let having: ResolvedPredicate?
        if let condition = request.havingPredicate { having = try compiler.compile(condition) } else { having = nil }
        var sorts: [TupleSort] = []
        for sort in request.sort {
            do { sorts.append(TupleSort(try compiler.compile(.keyPath(sort.keyPath), namesResults: true), sort)) } catch {
                // All objects as one group have no order, but for that of a result.
                guard request.propertiesToGroupBy.isEmpty, (try? ResolvedSort(sort, of: plan.entity, in: model)) != nil else { throw error }
            }
        }
        // Groups with equal sort keys, and all of them without any, follow in the order of their keys.
        for key in request.propertiesToGroupBy.indices { sorts.append(TupleSort(.column(key))) }
        var groups = compiler.plan
        (groups.condition, groups.isWhole) = (having, true)
        plan.result = .groups(groups)
        (plan.limit, plan.offset) = (nil, 0)
        return .groups(compiler.functions, having: having, sorts, outputs: outputs)
    }

    private static func list(
        _ request: ObjectFetchRequest<ManagedObject>, _ results: [ExpressionDescription], _ plan: inout FetchPlan,
        _ model: ManagedObjectModel
    ) throws(QueryError) -> Finish {
        var columns: [ResolvedExpression] = []
        for result in results { columns.append(try result.resolved(for: plan.entity, in: model)) }
        var order: [TupleSort] = []
        var isComputed = false
        for sort in request.sort {
            // A sort key may be the name or the expression of a result.
            let result = results.firstIndex { $0.name == sort.keyPath } ?? results.firstIndex { $0.expression == .keyPath(sort.keyPath) }
            if let result, columns[result].path == nil {
                isComputed = true
                order.append(TupleSort(.column(result), sort))
                continue
            }
            if result == nil, sort.isComputed {
                let computed = ExpressionDescription(name: sort.keyPath, expression: .keyPath(sort.keyPath))
                isComputed = true
                order.append(TupleSort(.column(columns.count), sort))
                columns.append(try computed.resolved(for: plan.entity, in: model))
                continue
            }
            let path = result.flatMap { columns[$0].path?.text } ?? sort.keyPath
            let key = try ResolvedSort(QuerySort(path, ascending: sort.ascending, sort.options), of: plan.entity, in: model)
            plan.sort.append(key)
            order.append(TupleSort(.column(columns.count), sort))
            columns.append(.path(key.path))
        }
        if !isComputed {
            plan.result = .values(ValuePlan(Array(columns.prefix(results.count)), isDistinct: request.returnsDistinctResults))
            return .nothing
        }
        plan.sort = []
        plan.result = .values(ValuePlan(columns))
        (plan.limit, plan.offset) = (nil, 0)
        return .sort(order)
    }

    // MARK: - Answers

    /// Returns the dictionaries of an answer to the plan; `complete` sees their values first.
    func dictionaries(_ answer: CoordinatorAnswer, _ complete: ([[Value]]) throws -> [[Value]]) throws -> [FetchedDictionary] {
        let columns = FetchedColumns(results.map(\.name), transformers: transformers)
        return try complete(try tuples(answer)).map { FetchedDictionary(columns: columns, values: try converted($0)) }
    }

    private var transformers: [String: ValueTransformer] {
        var transformers: [String: ValueTransformer] = [:]
        for case (let name, .keyPath(let path)) in results.map({ ($0.name, $0.expression) }) {
            transformers[name] = plan.entity.attribute(named: path)?.declaration.transformer
        }
        return transformers
    }

    private func tuples(_ answer: CoordinatorAnswer) throws -> [[Value]] {
        switch finish {
        case .nothing: return try answer.requireValues()
        case .sort(let order):
            var tuples = try answer.requireValues()
            try TupleSort.sort(&tuples, by: order)
            return slice(tuples.map { Array($0.prefix(results.count)) })
        case .groups(let functions, let having, let order, let outputs):
            var tuples = try answer.requireGroups().map { try $0.keys + zip($0.partials, functions).map { try $0.value(of: $1) } }
            if let having {
                let condition = RowPredicate(having)
                tuples = try tuples.filter { try condition.passes(tuple: $0) }
            }
            try TupleSort.sort(&tuples, by: order)
            let outputs = outputs.map { RowExpression($0) }
            return slice(try tuples.map { tuple in try outputs.map { try $0.value(tuple: tuple) } })
        }
    }

    func explain(_ request: ObjectFetchRequest<ManagedObject>, _ explanation: inout QueryExplanation) {
        let subject: String
        switch finish {
        case .nothing: return
        case .sort:
            subject = "sorted"
            explanation.isSortedInCore = true
        case .groups:
            if let having = request.havingPredicate {
                let isDecided = explanation.stores.allSatisfy(\.plan.testsGroups)
                explanation.steps.append("groups tested in the \(isDecided ? "store" : "core"): \(having)")
            }
            subject = "groups sorted"
        }
        let keys = request.sort.map { ($0.ascending ? "" : "-") + $0.keyPath }
        if !keys.isEmpty { explanation.steps.append("\(subject) in the core by \(keys.joined(separator: ", "))") }
        if isDistinct { explanation.steps.append("equal results dropped in the core") }
        if let slice = FetchPlan.slice(limit, offset) { explanation.steps.append("\(slice) applied in the core") }
    }

    private func slice(_ tuples: [[Value]]) -> [[Value]] {
        ResultSlice(offset: offset, limit: limit)(isDistinct ? TupleSet.unique(tuples) : tuples)
    }

    private func converted(_ tuple: [Value]) throws -> [Value] {
        guard results.contains(where: { $0.resultType != nil }) else { return tuple }
        return try zip(tuple, results).map { value, result in
            guard let type = result.resultType else { return value }
            guard let converted = value.converted(to: type)
            else { throw QueryError(.typeMismatch, entity: plan.entity.name, subject: result.name, "\(value.excerpt) is no \(type)") }
            return converted
        }
    }
}

extension ExpressionDescription {
    /// Returns the elements of the composite attribute that is meant, each under its path; else the expression itself.
    fileprivate func elements(of entity: EntityDescription, in model: ManagedObjectModel) -> [ExpressionDescription] {
        guard case .keyPath(let path) = expression else { return [self] }
        var owner = entity
        var names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...]
        while let first = names.first, let relationship = owner.relationship(named: first), !relationship.isToMany {
            owner = model.destination(of: relationship)
            names = names.dropFirst()
        }
        guard let composite = owner.compositeAttribute(named: names.joined(separator: ".")) else { return [self] }
        return composite.attributes.map { attribute in
            let inner = attribute.name.dropFirst(composite.name.count)
            return ExpressionDescription(name: name + inner, expression: .keyPath(path + inner))
        }
    }
}

struct TupleSort {
    private let expression: ResolvedExpression
    private let ascending: Bool
    private let options: QueryComparison.Options

    init(_ expression: ResolvedExpression, _ sort: QuerySort? = nil) {
        self.expression = expression
        ascending = sort?.ascending ?? true
        options = sort?.options ?? []
    }

    /// Sorts tuples; those with equal keys stay in their order.
    static func sort(_ tuples: inout [[Value]], by order: [TupleSort]) throws {
        let expressions = order.map { RowExpression($0.expression) }
        let keyed = try tuples.enumerated().map { index, tuple in
            (index, tuple, try zip(order, expressions).map { $0.key(try $1.value(tuple: tuple)) })
        }
        tuples = keyed.sorted { a, b in
            for (index, sort) in order.enumerated() {
                let ordering = a.2[index].sortOrder(b.2[index])
                if ordering != .equal { return ordering == (sort.ascending ? .less : .greater) }
            }
            return a.0 < b.0
        }.map(\.1)
    }

    private func key(_ value: Value) -> Value {
        guard case .string(let text) = value else { return value }
        if options.collates { return .data(Data(Collation(options).key(text))) }
        return options.isEmpty ? value : .string(TextFolding.fold(text, options))
    }
}
