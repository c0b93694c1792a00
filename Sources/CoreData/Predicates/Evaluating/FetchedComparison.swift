import StrataGraph
import StrataQuery
import Synchronization

/// A comparison as a query, with its compiled form.
final class FetchedComparison {
    private var compiled: CompiledPredicate
    private let hasVariables: Bool
    /// The keys of all paths.
    private let keys: Set<String>

    init(_ tree: QueryPredicate) {
        compiled = CompiledPredicate(tree)
        hasVariables = !tree.variables.isEmpty
        var keys: Set<String> = []
        // Only visits the parts.
        _ = try? tree.replacingExpressions { part in
            switch part {
            case .keyPath(let path), .path(_, let path): keys.formUnion(path.split(separator: ".").map(String.init))
            default: break
            }
            return nil
        }
        self.keys = keys
    }

    /// Returns whether a fetch would return an object with its pending changes; `nil` if no fetch can tell.
    func answer(about object: ManagedObject) -> Bool? {
        guard object.managedObjectContext != nil, !hasVariables, !NamedMembers.areAccessed(keys) else { return nil }
        return try? compiled.evaluate(with: object)
    }
}

/// The comparison that one thread at a time evaluates; another one makes its own.
final class KeptComparison: Sendable {
    private struct Slot: @unchecked Sendable { var comparison: FetchedComparison? }
    private let slot = Mutex(Slot())

    /// Runs `body` with the comparison, which is made where it is missing.
    ///
    /// - Returns: `nil` where no query can express it.
    func use(_ make: () throws -> QueryPredicate, _ body: (FetchedComparison) -> Bool?) -> Bool? {
        let kept = slot.withLock { slot in
            defer { slot.comparison = nil }
            return slot
        }
        guard let comparison = try? kept.comparison ?? FetchedComparison(make()) else { return nil }
        defer { slot.withLock { [used = Slot(comparison: comparison)] in $0 = used } }
        return body(comparison)
    }
}
