public import StrataModel
import StrataStore

/// The typed name of a fetched property, declared beside a managed object's class as a `static let`.
public struct Fetched<Destination: ManagedObject>: Sendable {
    /// The name of the fetched property.
    public let name: String

    /// Creates a key of a fetched property.
    public init(_ name: String) { self.name = name }
}

extension ManagedObject {
    /// Returns the objects of a fetched property.
    ///
    /// The first call runs the fetch, which includes pending changes; later calls return the same objects until the
    /// object is refreshed. A result with objects that were never saved is not cached.
    ///
    /// - Throws: `StoreError` with `unknownKey`; `QueryFormatError` and `QueryError` where the model's condition is
    ///   malformed, or does not fit the entity; `StoreError` with `closed` where the context was released before the
    ///   object; what a store throws.
    public final func fetchedObjects(_ name: String) throws -> [ManagedObject] {
        guard let property = entity.fetchedProperty(named: name)
        else { throw StoreError(.unknownKey, .access, "\(name) is no fetched property of \(entity.name)", entity: entity.name, key: name) }
        if let ids = extra?.fetched[name], let context = managedObjectContext { return ids.map { context.fault(with: $0) } }
        let objects = try fetchedObjects(of: property)
        // Unsaved objects may be discarded, and temporary IDs become invalid.
        if !objects.contains(where: { $0.isNew || $0.objectID.isTemporary }) { makeExtra().fetched[name] = objects.map(\.objectID) }
        return objects
    }

    /// Runs the fetch of a fetched property, which need not be one of the model, and does not keep its objects.
    ///
    /// - Returns: The objects; none where the object is in no context.
    /// - Throws: What fetching throws; `StoreError` with `closed` where the context was released before the object.
    public final func fetchedObjects(of property: FetchedProperty) throws -> [ManagedObject] {
        guard let context = managedObjectContext else {
            if hasLostContext { throw lostContextError(property.name) }
            return []
        }
        var request = ObjectFetchRequest<ManagedObject>(
            entityName: property.destination, try condition(of: property), sort: property.sort.map { QuerySort($0) })
        request.limit = property.limit
        let objects = try context.fetch(request)
        if flags.contains(.unreadable) { context.failedAccesses.didRead(self, property.name) }
        return objects
    }

    /// The objects of a fetched property; none where the fetch fails, which ``ManagedObjectContext/lastFaultError``
    /// reports.
    ///
    /// - Precondition: The entity has the fetched property.
    public final subscript<D: ManagedObject>(key: Fetched<D>) -> [D] {
        if entity.fetchedProperty(named: key.name) == nil { programmerError("\(entity.name) has no fetched property \(key.name)") }
        do {
            return try fetchedObjects(key.name).compactMap { $0 as? D }
        } catch {
            report(error, key.name)
            return []
        }
    }

    private func condition(of property: FetchedProperty) throws -> QueryPredicate? {
        guard let text = property.predicate else { return nil }
        let source = objectID
        return try QueryPredicate(format: text, model: managedObjectContext?.model).replacingExpressions { subexpression in
            switch subexpression {
            case .variable("FETCH_SOURCE"): return .constant(.objectID(source))
            case .variable("FETCHED_PROPERTY"): return .constant(.string(property.name))
            case .path(.variable("FETCHED_PROPERTY"), let path): return .constant(try ManagedObject.value(atPath: path, of: property))
            default: return nil
            }
        }
    }

    private static func value(atPath path: String, of property: FetchedProperty) throws -> Value {
        let userInfo = "userInfo."
        if path == "name" { return .string(property.name) }
        if path.hasPrefix(userInfo) { return property.userInfo[String(path.dropFirst(userInfo.count))].map { .string($0) } ?? .null }
        throw QueryError(.unknownKey, entity: property.destination, subject: path, "a fetched property has a name and userInfo")
    }
}

extension QuerySort {
    init(_ element: SortElement) { self.init(element.keyPath, ascending: element.isAscending) }
}
