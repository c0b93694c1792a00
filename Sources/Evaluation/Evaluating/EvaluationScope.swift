import FoundationEssentials
import StrataModel

/// A predicate compiled to a closure: the row of the innermost variable, and where other rows are found.
typealias CompiledTest = (Row, any RowResolver) throws -> Bool
/// An expression compiled to a closure.
typealias CompiledValue = (Row, any RowResolver) throws -> Value

/// The row that a variable represents while the elements of an inner collection are gone through.
final class RowBinding {
    var row: Row?
}

/// What all closures of one compiled query share.
final class EvaluationFrame {
    /// The moment that `now()` is, the same for every row.
    let now = Date()
    /// The columns that are tested.
    var tuple: [Value] = []
    /// Whether a closure reads ``tuple``.
    var readsTuple = false
    /// Whether a closure reads the row of variable 0.
    var readsRow = false
    /// Whether the query is one over columns that names a row, which it has not.
    var isMixed: Bool { readsTuple && readsRow }
}

/// The variables that a part of a query can name, and where its closures find their rows.
///
/// Closures get the row of the innermost variable as an argument, so that a condition on the elements of a collection costs what one on
/// fetched objects costs; the rows of outer variables are bound while the collection is gone through.
struct EvaluationScope {
    /// Where a variable's row is found.
    enum Source {
        case argument
        case binding(RowBinding)
        /// There is no such variable.
        case nothing
    }

    let frame: EvaluationFrame
    /// The variable whose row the closures get, `nil` over tuples.
    private let innermost: Int?
    private let bindings: [Int: RowBinding]

    private init(_ frame: EvaluationFrame, innermost: Int?, _ bindings: [Int: RowBinding]) {
        self.frame = frame
        self.innermost = innermost
        self.bindings = bindings
    }

    /// Returns the scope of a query over rows: variable 0 is the row that closures get.
    static func rows() -> EvaluationScope { EvaluationScope(EvaluationFrame(), innermost: 0, [:]) }

    /// Returns the scope of a query over columns, which has no row: where it names one nevertheless, it finds nothing.
    static func tuples() -> EvaluationScope { EvaluationScope(EvaluationFrame(), innermost: nil, [:]) }

    /// Where a variable's row is found.
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

    /// Returns a closure that finds the row that a path's steps reference, `nil` where they lead nowhere.
    func end(of path: PropertyPath) -> (Row, any RowResolver) throws -> Row? {
        switch source(of: path.variable) {
        case .argument where path.steps.isEmpty: return { row, _ in row }
        case .argument: return { try RowPredicate.follow(path, from: $0, $1) }
        case .binding(let binding): return { _, resolver in try binding.row.flatMap { try RowPredicate.follow(path, from: $0, resolver) } }
        case .nothing: return { _, _ in nil }
        }
    }

    // Not one generic function for both: closures that come out of generic code give their results through memory.

    /// Returns a test of the row that a path's steps reference; `missing` is the result where they lead nowhere.
    func testing(_ path: PropertyPath, ifMissing missing: Bool, _ test: @escaping (Row) throws -> Bool) -> CompiledTest {
        if case .argument = source(of: path.variable), path.steps.isEmpty { return { row, _ in try test(row) } }
        let end = end(of: path)
        return { row, resolver in
            guard let end = try end(row, resolver) else { return missing }
            return try test(end)
        }
    }

    /// Returns a value of the row that a path's steps reference, nil where they lead nowhere.
    func computing(_ path: PropertyPath, _ value: @escaping (Row) throws -> Value) -> CompiledValue {
        if case .argument = source(of: path.variable), path.steps.isEmpty { return { row, _ in try value(row) } }
        let end = end(of: path)
        return { row, resolver in
            guard let end = try end(row, resolver) else { return .null }
            return try value(end)
        }
    }
}
