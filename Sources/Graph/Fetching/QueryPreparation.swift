import StrataStore

/// Resolves the parts of a query that only a context can: nested fetches, paths from given objects, and current IDs.
struct QueryPreparation {
    let context: ManagedObjectContext
    /// The stores to fetch from, `nil` for all.
    var stores: [any PersistentStore]?
    var includesPendingChanges = true

    /// Returns the predicate with constants instead of these parts.
    func prepare(_ predicate: QueryPredicate) throws -> QueryPredicate {
        // A comparison of a property with a constant is the common case, and needs no copy.
        if context.identity.permanentIDs.isEmpty, case .comparison(let comparison) = predicate, case .keyPath = comparison.left,
            case .constant = comparison.right
        {
            return predicate
        }
        return try predicate.replacingExpressions(replacement)
    }

    func prepare(_ expression: QueryExpression) throws -> QueryExpression {
        if case .keyPath = expression { return expression }
        return try expression.replacingExpressions(replacement)
    }

    func prepare(_ property: ExpressionDescription) throws -> ExpressionDescription {
        var property = property
        property.expression = try prepare(property.expression)
        return property
    }

    /// Returns what replaces a part of an expression that only a context can evaluate; `nil` for other parts.
    private func replacement(_ subexpression: QueryExpression) throws -> QueryExpression? {
        switch subexpression {
        case .constant(let value): return permanent(value).map { .constant($0) }
        case .fetch(let fetch): return .constant(try result(of: fetch))
        case .path, .element, .subquery:
            guard let (id, ofObject) = subexpression.startingAtObject(in: context.model) else { return nil }
            return ofObject.readsSomethingElse ? try givenValues(of: subexpression) : .constant(try value(of: ofObject, for: id))
        default: return nil
        }
    }

    private func result(of fetch: QueryFetch) throws -> Value {
        var request = ObjectFetchRequest<ManagedObject>(entityName: fetch.entityName, fetch.predicate)
        request.affectedStores = stores
        request.includesPendingChanges = includesPendingChanges
        if fetch.countOnly { return .int(Int64(try context.count(for: request))) }
        return .list(try context.fetchObjectIDs(request).map { .objectID($0) })
    }

    /// Returns a value with permanent IDs instead of temporary ones; `nil` where there are none.
    private func permanent(_ value: Value) -> Value? {
        if context.identity.permanentIDs.isEmpty { return nil }
        switch value {
        case .objectID(let id):
            let permanent = context.identity.permanent(id)
            return permanent.isTemporary || !id.isTemporary ? nil : .objectID(permanent)
        case .list(let values):
            let known = values.map { permanent($0) }
            return known.contains { $0 != nil } ? .list(zip(known, values).map { $0 ?? $1 }) : nil
        default: return nil
        }
    }

    /// Returns the value of an expression for an object: a list of several values; nothing where the object is missing.
    func value(of expression: QueryExpression, for id: ObjectID) throws -> Value {
        let id = context.identity.permanent(id)
        guard let entity = context.model.entity(named: id.entity.name)
        else { throw QueryError(.typeMismatch, subject: id.uriRepresentation, "it is no object of this model") }
        let prepared = try prepare(expression)
        guard let (row, resolver) = try row(of: id, root: entity.root)
        else { return try prepared.resolvedValues(for: entity, in: context.model).valueOfNothing }
        // The ID may have been made with an ancestor of the object's own entity.
        let resolved = try prepared.resolvedValues(for: context.model.entities[row.entityIndex], in: context.model)
        return try RowExpression(resolved, keepsObjects: true).value(row, resolver)
    }

    private func row(of id: ObjectID, root: EntityIndex) throws -> (Row, any RowResolver)? {
        let resolver: any RowResolver
        if includesPendingChanges {
            let storeID = try context.registered(id).map { try context.targetStoreID(of: $0) } ?? id.scope.storeID
            resolver = PendingRowResolver(context: context, storeID: storeID)
        } else {
            resolver = SavedRowResolver(context: context, store: id.scope.storeID)
        }
        return try resolver.row(root: root, reference: id.reference).map { ($0, resolver) }
    }
}

extension ManagedObjectContext {
    func preparation(of request: ObjectFetchRequest<ManagedObject>) -> QueryPreparation {
        QueryPreparation(context: self, stores: request.affectedStores, includesPendingChanges: request.includesPendingChanges)
    }
}

extension QueryExpression {
    /// Returns the object that a path starts at, with the expression as one of that object.
    fileprivate func startingAtObject(in model: ManagedObjectModel) -> (ObjectID, QueryExpression)? {
        switch self {
        case .path(let base, let path):
            if let id = base.objectID(in: model) { return (id, .keyPath(path)) }
            return base.startingAtObject(in: model).map { ($0, .path($1, path)) }
        case .element(let base, let position): return base.startingAtObject(in: model).map { ($0, .element($1, position)) }
        case .subquery(let base, let variable, let condition):
            return base.startingAtObject(in: model).map { ($0, .subquery($1, variable: variable, condition)) }
        default: return nil
        }
    }

    func objectID(in model: ManagedObjectModel) -> ObjectID? {
        switch self {
        case .constant(.objectID(let id)): return id
        case .function(.cast, let arguments):
            guard arguments.count == 2, case .constant(.string(let uri)) = arguments[0],
                case .constant(.string("NSManagedObjectID")) = arguments[1]
            else { return nil }
            return ObjectID(uriRepresentation: uri, in: model)
        default: return nil
        }
    }

    /// Whether an expression that starts at an object reads another one, as a subquery's condition may.
    fileprivate var readsSomethingElse: Bool {
        switch self {
        case .path(let base, _): base.readsSomethingElse
        case .element(let base, .at(let index)): base.readsSomethingElse || index.namesFetchedObject
        case .element(let base, _): base.readsSomethingElse
        case .subquery(let base, let variable, let condition):
            base.readsSomethingElse || condition.namesFetchedObject || !condition.variables.isSubset(of: [variable])
        default: false
        }
    }

    private var namesFetchedObject: Bool { QueryPredicate.comparison(.init(self, .equal, .constant(.null))).namesFetchedObject }
}

extension QueryPredicate {
    fileprivate var namesFetchedObject: Bool {
        var found = false
        // Only the closure throws.
        _ = try? replacingExpressions { subexpression in
            switch subexpression {
            case .evaluatedObject, .keyPath, .anyKey: found = true
            default: break
            }
            return nil
        }
        return found
    }
}

extension ResolvedExpression {
    /// The value without an object to compute it of.
    fileprivate var valueOfNothing: Value {
        switch self {
        case .values: .list([])
        case .aggregate(let function, _, _): (try? AggregatePartial().value(of: function)) ?? .null
        default: .null
        }
    }
}
