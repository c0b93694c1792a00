public import StrataModel
public import StrataQuery
import StrataStore

extension QueryPredicate {
    /// Returns whether an object meets the condition as it is now, with its pending changes and those of the objects
    /// related to it.
    ///
    /// The answer is the one that a fetch of the object would give. Transient attributes cannot be queried.
    ///
    /// - Throws: `QueryError` where the condition does not fit the object's entity; `StoreError` with `notFound` where
    ///   the object was deleted; what a store throws.
    public func evaluate(with object: ManagedObject) throws -> Bool {
        var compiled = CompiledPredicate(self)
        return try compiled.evaluate(with: object)
    }
}

extension QueryExpression {
    /// Returns the value of the expression for an object as it is now, with its pending changes and those of the
    /// objects related to it.
    ///
    /// - Throws: As `QueryPredicate.evaluate(with:)`, and `QueryError` where the expression yields several objects.
    public func value(with object: ManagedObject) throws -> Value {
        guard let context = object.managedObjectContext else { throw object.inaccessible(.evaluate) }
        let (row, resolver) = try context.currentRow(of: object)
        let resolved = try QueryPreparation(context: context).prepare(self).resolved(for: object.entity, in: context.model)
        let value = try RowExpression(resolved).value(row, resolver)
        guard let entity = resolved.objectEntity(in: context.model), case .int(let reference) = value else { return value }
        return .objectID(try context.id(root: entity.index, reference: reference, storeID: resolver.store))
    }
}

extension ManagedObjectContext {
    /// Returns the row of an object as it would be saved now, and what finds the rows that it references.
    func currentRow(of object: ManagedObject) throws -> (Row, PendingRowResolver) {
        assertQueue()
        try applyDueDeleteRules()
        let resolver = PendingRowResolver(context: self, storeID: try targetStoreID(of: object))
        try loader.requireRow(of: object)
        if object.hasChanges, !object.isInaccessible { return (try resolver.row(of: object), resolver) }
        guard let row = object.row else { throw object.inaccessible(.evaluate) }
        return (row, resolver)
    }
}

extension ManagedObject {
    final func inaccessible(_ operation: StoreError.Operation) -> StoreError {
        StoreError(.notFound, operation, "there is no object \(objectID)", entity: entity.name)
    }
}
