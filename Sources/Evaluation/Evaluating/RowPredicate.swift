/// A predicate compiled to closures over row bytes, mostly without making values.
///
/// Compile once, then test many rows on one thread. `now()` is the moment of compiling.
public struct RowPredicate {
    private let test: CompiledTest
    private let frame: EvaluationFrame

    /// Compiles a resolved predicate.
    public init(_ predicate: ResolvedPredicate) {
        var scope = EvaluationScope.rows()
        var test = scope.compile(predicate)
        if scope.frame.isMixed {
            scope = EvaluationScope.tuples()
            test = scope.compile(predicate)
        }
        (self.test, frame) = (test, scope.frame)
    }

    /// Returns whether a row passes; `resolver` finds the rows at the end of relationships.
    ///
    /// - Throws: What the resolver throws; `QueryError` for values that a function or a pattern cannot take.
    public func passes(_ row: Row, _ resolver: any RowResolver) throws -> Bool { try test(row, resolver) }

    /// Returns whether a tuple of columns passes, objects among them as IDs; a predicate over rows passes none.
    ///
    /// - Throws: As ``passes(_:_:)``.
    public func passes(tuple: [Value]) throws -> Bool {
        if frame.readsRow { return false }
        frame.tuple = tuple
        return try test(NoRows.row, NoRows())
    }

    /// Returns the row at the end of a path's steps, `nil` where a relationship along the path has no destination.
    ///
    /// - Throws: What the resolver throws.
    public static func follow(_ path: PropertyPath, from row: Row, _ resolver: any RowResolver) throws -> Row? {
        var current = row
        for step in path.steps {
            guard let reference = current.integer(step.slot),
                let next = try resolver.row(root: step.destination.root, reference: reference)
            else { return nil }
            current = next
        }
        return current
    }
}

/// The resolver of a query over columns, which reads no rows.
struct NoRows: RowResolver {
    static let row: Row = {
        var writer = RowWriter(forOneRowOf: RowLayout.headerSize)
        writer.begin(RowLayout(slots: []), entityIndex: 0, reference: 0, version: 0)
        return writer.finish()
    }()

    var storeID: StoreID? { nil }
    func row(root: EntityIndex, reference: Int64) throws -> Row? { nil }
    func destinations(of relationship: RelationshipDescription, root: EntityIndex, owner: Row) throws -> [Row] { [] }
}
