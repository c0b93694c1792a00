/// A predicate compiled to a closure over the row of the innermost variable and the resolver of other rows.
typealias CompiledTest = (Row, any RowResolver) throws -> Bool
typealias CompiledValue = (Row, any RowResolver) throws -> Value

/// The row of a variable during the traversal of an inner collection.
final class RowBinding {
    var row: Row?
}

/// The state that all closures of one compiled query share.
final class EvaluationFrame {
    /// The value of `now()`, the same for every row.
    let now = Date()
    var tuple: [Value] = []
    var readsTuple = false
    var readsRow = false
    /// Whether a query over columns also reads a row, which it does not have.
    var isMixed: Bool { readsTuple && readsRow }
}

/// The variables of a part of a query, and the rows that its closures get for them.
///
/// Closures get the row of the innermost variable as an argument, so that a condition on the elements of a collection
/// costs what one on fetched objects costs; the rows of outer variables are bound during the traversal.
struct EvaluationScope {
    /// The source of a variable's row.
    enum Source {
        case argument
        case binding(RowBinding)
        case nothing
    }

    let frame: EvaluationFrame
    /// The variable whose row the closures get; `nil` over tuples.
    private let innermost: Int?
    private let bindings: [Int: RowBinding]

    private init(_ frame: EvaluationFrame, innermost: Int?, _ bindings: [Int: RowBinding]) {
        self.frame = frame
        self.innermost = innermost
        self.bindings = bindings
    }

    /// Returns the scope of a query over rows: closures get the row of variable 0.
    static func rows() -> EvaluationScope { EvaluationScope(EvaluationFrame(), innermost: 0, [:]) }

    /// Returns the scope of a query over columns, which has no row.
    static func tuples() -> EvaluationScope { EvaluationScope(EvaluationFrame(), innermost: nil, [:]) }

    func source(of variable: Int) -> Source {
        if variable == innermost {
            if variable == 0 { frame.readsRow = true }
            return .argument
        }
        return bindings[variable].map { .binding($0) } ?? .nothing
    }

    /// Returns the scope of a collection's elements, and what to bind to the row of this scope meanwhile.
    func entering(_ variable: Int) -> (scope: EvaluationScope, outer: RowBinding) {
        let outer = RowBinding()
        var bindings = bindings
        if let innermost {
            bindings[innermost] = outer
            if innermost == 0 { frame.readsRow = true }
        }
        return (EvaluationScope(frame, innermost: variable, bindings), outer)
    }

    /// Returns a closure that finds the row at the end of a path's steps; `nil` without a destination.
    func end(of path: PropertyPath) -> (Row, any RowResolver) throws -> Row? {
        switch source(of: path.variable) {
        case .argument where path.steps.isEmpty: return { row, _ in row }
        case .argument: return { try RowPredicate.follow(path, from: $0, $1) }
        case .binding(let binding): return { _, resolver in try binding.row.flatMap { try RowPredicate.follow(path, from: $0, resolver) } }
        case .nothing: return { _, _ in nil }
        }
    }

    // Not one generic function for both: closures of generic code return their results through memory.

    /// Returns a test of the row at the end of a path's steps; `missing` is the result without a destination.
    func testing(_ path: PropertyPath, ifMissing missing: Bool, _ test: @escaping (Row) throws -> Bool) -> CompiledTest {
        if case .argument = source(of: path.variable), path.steps.isEmpty { return { row, _ in try test(row) } }
        let end = end(of: path)
        return { row, resolver in
            guard let end = try end(row, resolver) else { return missing }
            return try test(end)
        }
    }

    /// Returns a value of the row at the end of a path's steps; nil without a destination.
    func computing(_ path: PropertyPath, _ value: @escaping (Row) throws -> Value) -> CompiledValue {
        if case .argument = source(of: path.variable), path.steps.isEmpty { return { row, _ in try value(row) } }
        let end = end(of: path)
        return { row, resolver in
            guard let end = try end(row, resolver) else { return .null }
            return try value(end)
        }
    }
}
