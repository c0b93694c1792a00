import Synchronization

/// The functions that a program adds to the format language: `FUNCTION(name, "initials")`.
///
/// Register them before the first fetch that uses them, on any thread. Stores do not evaluate them.
public enum QueryFunctionTable {
    /// A function: it gets the target and the arguments, and returns a value; objects arrive as their references.
    public typealias Function = @Sendable ([Value]) throws -> Value

    private static let functions = Mutex<[String: Function]>([:])

    /// Registers a function under a selector, replacing an earlier one.
    ///
    /// A selector of the language's own, `QueryFunction`, cannot be replaced: a `QueryExpression.custom(_:_:_:)` of
    /// that name is a `QueryError` with `unknownFunction`.
    public static func register(_ selector: String, _ function: @escaping Function) {
        functions.withLock { $0[selector] = function }
    }

    /// Returns the function with a selector.
    public static func function(_ selector: String) -> Function? { functions.withLock { $0[selector] } }
}
