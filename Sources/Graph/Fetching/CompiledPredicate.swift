import StrataEvaluation
import StrataModel
public import StrataQuery
import StrataStore

/// A condition that is evaluated for many objects, and compiled once for successive ones of an entity.
///
/// A condition with anything but comparisons of properties with values is compiled anew for each.
public struct CompiledPredicate {
    private let predicate: QueryPredicate
    private var compiled: (entity: EntityDescription, test: RowPredicate)?

    /// Creates the condition; it is compiled when it is evaluated.
    public init(_ predicate: QueryPredicate) { self.predicate = predicate }

    /// Returns whether an object meets the condition as it is now.
    ///
    /// - Throws: As `QueryPredicate.evaluate(with:)`.
    public mutating func evaluate(with object: ManagedObject) throws -> Bool {
        guard let context = object.managedObjectContext else { throw object.inaccessible(.evaluate) }
        let (row, resolver) = try context.currentRow(of: object)
        if let compiled, compiled.entity === object.entity { return try compiled.test.passes(row, resolver) }
        let prepared = try QueryPreparation(context: context).prepare(predicate)
        let test = RowPredicate(try prepared.resolved(for: object.entity, in: context.model))
        compiled = predicate.isIndependentOfContext ? (object.entity, test) : nil
        return try test.passes(row, resolver)
    }
}

extension QueryPredicate {
    /// Whether it compares properties and constants only, none of which is an object: a context resolves other parts anew.
    fileprivate var isIndependentOfContext: Bool {
        switch self {
        case .constant: true
        case .and(let parts), .or(let parts): parts.allSatisfy(\.isIndependentOfContext)
        case .not(let part): part.isIndependentOfContext
        case .comparison(let comparison): comparison.left.isIndependentOfContext && comparison.right.isIndependentOfContext
        }
    }
}

extension QueryExpression {
    fileprivate var isIndependentOfContext: Bool {
        switch self {
        case .keyPath: true
        case .constant(.objectID): false
        case .constant(.list(let values)): !values.contains { $0.objectID != nil }
        case .constant: true
        default: false
        }
    }
}
