import Foundation
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore

/// A plan as a fetch request for an incremental store, and the part of it that is computed here.
struct PlanRequest {
    let request: NSFetchRequest<any NSFetchRequestResult>
    let remainder: Remainder

    init(_ plan: FetchPlan) {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = plan.entity.counterpart
        request.includesSubentities = plan.includesSubentities
        var supported: [QueryPredicate] = []
        var left: [ResolvedPredicate] = []
        for conjunct in plan.predicate?.conjuncts ?? [] {
            if let tree = conjunct.tree { supported.append(tree) } else { left.append(conjunct) }
        }
        if !supported.isEmpty { request.predicate = NSPredicate.make(supported.count == 1 ? supported[0] : .and(supported)) }
        if !plan.sort.isEmpty {
            request.sortDescriptors = plan.sort.map { .make(QuerySort($0.path.text, ascending: $0.ascending, $0.options)) }
        }
        var remainder = Remainder(predicate: left.isEmpty ? nil : .and(left))
        switch plan.result {
        case _ where !left.isEmpty: remainder.needsSlice = true
        case .groups, .values: remainder.needsSlice = true
        case .count: request.resultType = .countResultType
        case .references: request.resultType = .managedObjectIDResultType
        case .rows: break
        }
        if !remainder.needsSlice {
            request.fetchLimit = plan.limit ?? 0
            request.fetchOffset = plan.offset
        }
        self.request = request
        self.remainder = remainder
    }
}

extension ResolvedPredicate {
    /// The condition as a query predicate; `nil` for conditions on collections, and computed ones.
    fileprivate var tree: QueryPredicate? {
        switch self {
        case .constant(let truth): return .constant(truth)
        case .and(let parts): return ResolvedPredicate.trees(parts).map { .and($0) }
        case .or(let parts): return ResolvedPredicate.trees(parts).map { .or($0) }
        case .not(let part): return part.tree.map { .not($0) }
        case .comparison(let comparison):
            guard let left = comparison.left.tree, let right = comparison.right.tree else { return nil }
            return .comparison(QueryComparison(left, comparison.operator, right, comparison.options))
        case .test, .exists: return nil
        }
    }

    private static func trees(_ parts: [ResolvedPredicate]) -> [QueryPredicate]? {
        let trees = parts.compactMap(\.tree)
        return trees.count == parts.count ? trees : nil
    }
}

extension ResolvedOperand {
    fileprivate var tree: QueryExpression? {
        switch self {
        case .path(let path): path.tree
        case .constant(let value): .constant(value)
        }
    }
}

extension PropertyPath {
    fileprivate var tree: QueryExpression? {
        if variable != 0 { return nil }
        return text.isEmpty ? .evaluatedObject : .keyPath(text)
    }
}
