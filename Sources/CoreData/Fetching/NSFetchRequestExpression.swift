import StrataModel
import StrataQuery

/// An expression whose value is the result of a fetch: `FETCH(request, context, countOnly)`.
///
/// Its value is an array, or a number; it traps if the expressions yield no request or no context, or the fetch fails.
/// Within the predicate of a fetch it is run once, by the context of that fetch; a request with a limit, with an offset
/// or for dictionaries is not supported there, and makes the fetch fail.
open class NSFetchRequestExpression: NSExpression {
    private final let request: NSExpression
    private final let context: NSExpression
    private final let countOnly: Bool

    private init(_ request: NSExpression, _ context: NSExpression, _ countOnly: Bool) {
        (self.request, self.context, self.countOnly) = (request, context, countOnly)
        super.init(.request(request, context: context, countOnly: countOnly))
    }

    /// Makes an expression.
    ///
    /// - Parameters:
    ///   - fetch: An expression that yields an `NSFetchRequest`.
    ///   - context: An expression that yields the `NSManagedObjectContext` that fetches.
    ///   - countFlag: Whether the number of results is the value rather than the results.
    open class func expression(forFetch fetch: NSExpression, context: NSExpression, countOnly countFlag: Bool) -> NSExpression {
        NSFetchRequestExpression(fetch, context, countFlag)
    }

    /// The expression of the request.
    open var requestExpression: NSExpression { request }
    /// The expression of the context.
    open var contextExpression: NSExpression { context }
    /// Whether the number of results is the value.
    open var isCountOnlyRequest: Bool { countOnly }

    // MARK: - Comparing

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFetchRequestExpression else { return false }
        return other === self || (other.countOnly == countOnly && other.request.isEqual(request) && other.context.isEqual(context))
    }

    open override var hash: Int { countOnly ? 1 : 0 }

    open override var description: String { "FETCH(\(request), \(context), \(countOnly ? "YES" : "NO"))" }
}

/// The value of a fetch within an expression.
enum FetchedValue {
    /// Returns the results of a request, or their number; traps for other operands, and if the fetch fails.
    static func value(of request: Operand, in context: Operand, countOnly: Bool) -> Operand {
        let (request, context) = (request.any, context.any)
        guard let request = request as? any AnyFetchRequest else {
            programmerError("FETCH has no fetch request, but \(request ?? "nil")")
        }
        guard let context = context as? NSManagedObjectContext else {
            programmerError("FETCH has no managed object context, but \(context ?? "nil")")
        }
        do {
            if countOnly { return .value(.int(Int64(try request.count(in: context)))) }
            return Operand(list: try request.results(in: context).map { Operand($0) })
        } catch { programmerError("the fetch of \(request) failed: \(error)") }
    }

    /// Returns the fetch as a part of a query, which the context of the whole runs; `nil` if it cannot be one.
    static func queryFetch(_ request: NSExpression, _ countOnly: Bool, in builder: inout TreeBuilder) -> QueryFetch? {
        guard case .constant(let constant, _) = request.content else { return nil }
        return (constant as? any AnyFetchRequest)?.queryFetch(countOnly, in: &builder)
    }
}

private protocol AnyFetchRequest: AnyObject {
    func results(in context: NSManagedObjectContext) throws -> [AnyObject]
    func count(in context: NSManagedObjectContext) throws -> Int
    /// Returns the fetch as a part of a query; `nil` if it is not supported there.
    func queryFetch(_ countOnly: Bool, in builder: inout TreeBuilder) -> QueryFetch?
}

extension NSFetchRequest: AnyFetchRequest {
    fileprivate func results(in context: NSManagedObjectContext) throws -> [AnyObject] { try context.fetch(self).map { $0 as AnyObject } }

    fileprivate func count(in context: NSManagedObjectContext) throws -> Int { try context.count(for: self) }

    fileprivate func queryFetch(_ countOnly: Bool, in builder: inout TreeBuilder) -> QueryFetch? {
        guard let entityName, fetchLimit == 0, fetchOffset == 0, includesSubentities, affectedStores == nil,
            resultType != .dictionaryResultType
        else { return nil }
        return QueryFetch(entityName, predicate.map { builder.predicate($0) }, countOnly: countOnly || resultType == .countResultType)
    }
}
