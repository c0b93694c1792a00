public import StrataModel
public import StrataQuery
import StrataText

/// What an object held at one moment: a value that may be handed to other threads, and never changes.
///
/// ```swift
/// let rows = try await container.performBackgroundTask { try $0.snapshots(of: Person.fetchRequest()) }
/// for row in rows { print(row.name ?? "?", row[Person.age] ?? 0, row.company?.uriRepresentation ?? "–") }
/// ```
/// It has the attributes, pending values among them, and the IDs of to-one relationships; to-many relationships are no
/// part of it. It holds the object's row, which it shares with the object, and decodes values on demand.
@dynamicMemberLookup
public struct ObjectSnapshot<Object: ManagedObject>: Sendable {
    /// The object's ID: a temporary one of an object that was not saved.
    public let objectID: ObjectID
    /// How often the object had been saved; 0 for one that was not yet.
    public let version: UInt32
    private let row: Row?
    private let pending: [Int: Value]
    private let scopes: ObjectIDScopes?
    /// The scopes of unsaved objects, which rows of child contexts reference.
    private let temporaryScopes: ObjectIDScopes?

    init(_ object: ManagedObject) {
        object.fireFault()
        objectID = object.objectID
        row = object.row
        version = object.isNew ? 0 : object.row?.version ?? 0
        var pending: [Int: Value] = [:]
        if object.extra?.hasValues == true {
            for property in object.entity.properties { pending[property.index] = object.pendingValue(property.index) }
        }
        // An object without a context holds its destinations itself.
        for (property, destinations) in object.hasContext ? [:] : object.extra?.held ?? [:] {
            if object.entity.properties[property].relationship?.isToMany == false {
                pending[property] = destinations.first.map { .objectID($0.objectID) } ?? .null
            }
        }
        self.pending = pending
        let context = object.managedObjectContext
        if !object.hasContext {
            for relationship in object.entity.relationships where !relationship.isToMany && !relationship.isHidden {
                do { try object.requireContext(for: relationship) } catch { object.report(error, relationship.name) }
            }
        }
        temporaryScopes = context?.identity.temporaryScopes
        scopes = object.row == nil ? nil : try? context?.loader.scopes(of: object.objectID)
    }

    /// The object's own entity.
    public var entity: EntityDescription { objectID.entity }

    /// The value of an attribute; `nil` where there is none.
    ///
    /// - Precondition: The entity has the attribute.
    public subscript<V: ValueConvertible>(key: Key<V>) -> V? { V(value: value(of: key.path)) }

    /// The case of an enumeration by its stored raw value; `nil` where there is none, and for a raw value of no case.
    ///
    /// - Precondition: The entity has the attribute.
    @_disfavoredOverload
    public subscript<V: RawRepresentable>(key: Key<V>) -> V? where V.RawValue: ValueConvertible {
        V.RawValue(value: value(of: key.path)).flatMap { V(rawValue: $0) }
    }

    /// The case of a `Codable` enumeration, by its raw value.
    ///
    /// - Precondition: The entity has the attribute.
    @_disfavoredOverload
    public subscript<V: RawRepresentable & Codable & Sendable>(key: Key<V>) -> V? where V.RawValue: ValueConvertible {
        V.RawValue(value: value(of: key.path)).flatMap { V(rawValue: $0) }
    }

    /// The `Codable` value of a transformable attribute; `nil` without one, and where its bytes cannot be decoded.
    ///
    /// - Precondition: The entity has the attribute.
    @_disfavoredOverload
    public subscript<V: Codable & Sendable>(key: Key<V>) -> V? {
        guard case .data(let data) = value(of: key.path), let attribute = entity.attribute(named: key.path) else { return nil }
        return try? ValueTransformer.typed(V.self, declared: attribute.declaration.transformer).value(from: data) as? V
    }

    /// The value of a composite attribute; `nil` where none of its elements has one.
    ///
    /// - Precondition: The entity has the composite attribute, with the elements of the type.
    public subscript<C: CompositeValue>(key: Key<C>) -> C? { composite(key.path) }

    /// The ID of the destination of a to-one relationship; `nil` where there is none.
    ///
    /// - Precondition: The entity has the relationship.
    public subscript<D: ManagedObject>(key: ToOne<D>) -> ObjectID? { value(of: key.path).objectID }

    /// Returns the elements of a composite attribute that have a value, by their paths within it, `position.latitude`.
    ///
    /// - Returns: `nil` where none has one, and for other names. ``value(forKey:)`` returns one element, by its whole
    ///   path.
    public func elements(forKey key: String) -> [String: Value]? {
        var elements: [String: Value] = [:]
        for attribute in entity.compositeAttribute(named: key)?.attributes ?? [] {
            guard let value = value(of: .attribute(attribute)), !value.isNull else { continue }
            elements[String(attribute.name.dropFirst(key.count + 1))] = value
        }
        return elements.isEmpty ? nil : elements
    }

    /// Returns the value of an attribute, a composite one's element by its path, or the ID of a to-one destination;
    /// `nil` for other names.
    public func value(forKey key: String) -> Value? { entity.property(named: key).flatMap { value(of: $0) } }

    /// The values of all attributes, elements of composite ones by their paths, and the IDs of to-one destinations, by
    /// name.
    ///
    /// - Complexity: O(n) in the properties.
    public var values: [String: Value] {
        var values: [String: Value] = [:]
        for property in entity.properties { if let value = value(of: property) { values[property.name] = value } }
        return values
    }

    func composite<C: CompositeValue>(_ path: String) -> C? {
        guard let composite = entity.compositeAttribute(named: path)
        else { programmerError("\(entity.name) has no composite attribute \(path)") }
        var values: [String: Value] = [:]
        for attribute in composite.attributes { values[attribute.name] = value(of: .attribute(attribute)) }
        return C(values, behind: path + ".")
    }

    func value(of name: String) -> Value {
        guard let property = entity.property(named: name), let value = value(of: property)
        else { programmerError("\(entity.name) has no attribute or to-one relationship \(name)") }
        return value
    }

    private func value(of property: PropertyDescription) -> Value? {
        if let relationship = property.relationship, relationship.isToMany || relationship.isHidden { return nil }
        if let value = pending[property.index] { return value }
        switch property {
        case .attribute(let attribute):
            guard let slot = attribute.slot else { return attribute.defaultValue }
            return row?.value(slot, attribute.slotKind) ?? .null
        case .relationship(let relationship):
            guard let row, case .toOne(let slot, let entitySlot, _) = relationship.storage, let reference = row.integer(slot)
            else { return .null }
            let destination = row.destinationEntity(entitySlot, of: relationship)
            guard let scopes = reference < 0 ? temporaryScopes : scopes, scopes.entityIndices.contains(destination) else { return .null }
            return .objectID(ObjectID(scope: scopes[destination], reference: reference))
        }
    }
}

extension ObjectSnapshot: Hashable {
    /// Returns whether both are of one object, and hold the same values.
    public static func == (lhs: ObjectSnapshot, rhs: ObjectSnapshot) -> Bool { lhs.objectID == rhs.objectID && lhs.values == rhs.values }

    /// Hashes the ID.
    public func hash(into hasher: inout Hasher) { hasher.combine(objectID) }
}

extension ObjectSnapshot: Identifiable {
    /// The object's ID.
    public var id: ObjectID { objectID }
}

extension ObjectSnapshot: CustomStringConvertible {
    /// The entity, the ID, and the values by name.
    public var description: String {
        "<\(entity.name) \(objectID) version \(version); \(values.sortedByKey().map { "\($0.key): \($0.value.excerpt)" }.joined(separator: ", "))>"
    }
}

extension FetchRequesting {
    /// Returns the object's current values as a snapshot for other threads; fires its fault.
    ///
    /// - Complexity: O(1) for an object without changes.
    public func snapshot() -> ObjectSnapshot<Self> { ObjectSnapshot(self) }
}

extension ManagedObjectContext {
    /// Returns the objects' current values as snapshots for other threads; loads the rows of faults at once.
    ///
    /// - Throws: What a store throws.
    public func snapshots<T: ManagedObject>(of objects: some Sequence<T>) throws -> [ObjectSnapshot<T>] {
        assertQueue()
        let objects = Array(objects)
        try loader.loadRows(of: objects)
        return objects.map { ObjectSnapshot($0) }
    }

    /// Returns the current values of a request's objects as snapshots for other threads.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func snapshots<T: ManagedObject>(of request: ObjectFetchRequest<T>) throws -> [ObjectSnapshot<T>] {
        try fetch(request).map { ObjectSnapshot($0) }
    }
}
