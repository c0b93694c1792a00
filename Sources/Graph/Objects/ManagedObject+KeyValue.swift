public import StrataModel
import StrataStore

extension ManagedObject {
    final func readValue(_ attribute: AttributeDescription) throws -> Value {
        try requireRead(attribute.name)
        let value = currentValue(.attribute(attribute))
        if value.isNull, !isPending(attribute.index), let row, let error = unavailability(entity.propertySlots[attribute.index], row) {
            throw error
        }
        return value
    }

    /// Returns the stored form of a value; throws `StoreError` with `wrongValue`; what a transformer throws.
    final func assignable(_ value: Any?, _ attribute: AttributeDescription) throws -> Value {
        if attribute.isDerived { throw wrongValue(attribute.name, "the attribute is derived: its store computes the value") }
        guard let fitting = try stored(value, attribute) else { throw wrongValue(attribute.name, misfit(of: value, attribute)) }
        return fitting
    }

    final func misfit(of value: Any?, _ attribute: AttributeDescription) -> String {
        let type = attribute.type == .transformable ? attribute.declaration.transformer.map { "transformable by \($0.name)" } : nil
        return "\(attribute.name) is \(type ?? "\(attribute.type)"), and does not take \(shown(value))"
    }

    /// Returns the object as a destination of a to-one relationship; throws `StoreError` with `wrongValue`.
    final func destination(_ value: Any?, _ relationship: RelationshipDescription) throws -> ManagedObject? {
        guard let value else { return nil }
        guard let object = (value as? ManagedObject)?.standing
        else { throw wrongValue(relationship.name, "\(shown(value)) is no managed object") }
        try join(object)
        try checkRelated(object, current(relationship))
        return object
    }

    /// Returns the objects as destinations of a to-many relationship; throws `StoreError` with `wrongValue`.
    final func destinations(_ value: Any?, _ relationship: RelationshipDescription) throws -> [ManagedObject] {
        let objects: [ManagedObject]
        switch value {
        case nil: objects = []
        case let array as [ManagedObject]: objects = array
        case let set as Set<ManagedObject>: objects = Array(set)
        default: throw wrongValue(relationship.name, "a to-many relationship takes a set or an array of managed objects")
        }
        let standing = objects.map(\.standing)
        for object in standing {
            try join(object)
            try checkRelated(object, current(relationship))
        }
        return standing
    }

    final func property(_ key: String) throws -> PropertyDescription {
        checkExecutor()
        guard let property = entity.property(named: key), property.relationship?.isHidden != true
        else { throw unknownKey(key, "is no property") }
        return property
    }

    final func unknownKey(_ key: String, _ what: String) -> StoreError {
        StoreError(.unknownKey, .access, "\(key) \(what) of \(entity.name)", entity: entity.name, key: key)
    }

    final func wrongValue(_ key: String, _ message: String) -> StoreError {
        StoreError(.wrongValue, .access, message, entity: entity.name, key: key)
    }

    /// Returns a value's description for errors: that of a NaN date would trap, also in a collection.
    final func shown(_ value: Any?) -> String {
        switch value {
        case nil: "nil"
        case let number as any BinaryInteger: number.description.excerpt(200)
        case let raw as any RawRepresentable where raw.rawValue is any ValueConvertible: "\(type(of: raw)) (\(shown(raw.rawValue)))"
        case let convertible as any ValueConvertible: convertible.value.excerpt
        case let value as Value: value.excerpt
        case let object as ManagedObject: object.description
        case let value?: "a value of type \(type(of: value))"
        }
    }

    /// Returns a value, or the bytes of one that its transformer cannot read.
    final func readable(_ value: Value, _ attribute: AttributeDescription) -> Any? {
        do { return try any(value, attribute) } catch {
            managedObjectContext?.lastFaultError = error
            if case .data(let data) = value { return data }
            return nil
        }
    }

    final func any(_ value: Value, _ attribute: AttributeDescription) throws -> Any? {
        switch value {
        case .list: return nil
        case .double(let number) where attribute.type == .float: return Float(number)
        case .data(let data):
            guard attribute.type == .transformable, let transformer = attribute.declaration.transformer else { return data }
            return try transformer.value(from: data)
        default: return value.asAny
        }
    }

    /// - Returns: `nil` when the value is not of the attribute's type.
    final func stored(_ value: Any?, _ attribute: AttributeDescription) throws -> Value? {
        guard let value else { return .null }
        if attribute.type == .transformable, let transformer = attribute.declaration.transformer,
            let data = try transformer.data(from: value)
        {
            return .data(data)
        }
        let converted: Value
        switch value {
        case let value as Value: converted = value
        case let number as any BinaryInteger:
            guard let exact = Int64(exactly: number) else { return nil }
            converted = .int(exact)
        case let convertible as any ValueConvertible: converted = convertible.value
        // A case of an enumeration that is only Codable is stored as its raw value.
        case let raw as any RawRepresentable:
            guard let convertible = raw.rawValue as? any ValueConvertible else { return nil }
            converted = convertible.value
        default: return nil
        }
        return attribute.type == .undefined ? converted : attribute.type.coerce(converted)
    }
}

extension Value {
    /// The value as a Swift type; `nil` for none.
    package var asAny: Any? {
        switch self {
        case .null: nil
        case .list(let values): values.map(\.asAny)
        case .bool(let flag): flag
        case .int(let number): Int(number)
        case .double(let number): number
        case .decimal(let number): number
        case .string(let text): text
        case .date(let date): date
        case .uuid(let uuid): uuid
        case .url(let url): url
        case .objectID(let id): id
        case .data(let data): data
        }
    }
}

extension ManagedObjectMembers where Self: ManagedObject {
    /// Returns the value of a property by name.
    ///
    /// Integers come as `Int`, floats as `Float`, the other attributes as the Swift type of their value, transformables
    /// as what their transformer made; a composite attribute as a `[String: Any]` of those of its elements that have a
    /// value, `nil` where none has one; an element, by its path `colorScheme.primary`, as any attribute; a to-one
    /// relationship as a ``ManagedObject``, a to-many one as a `Set` of them, an ordered one as an array.
    ///
    /// - Throws: `StoreError` with `unknownKey`; with `corrupt` where the file of an external value is lost or damaged;
    ///   what the store or the transformer throws.
    @_disfavoredOverload
    public func value(forKey key: String) throws -> Any? {
        if let composite = entity.compositeAttribute(named: key) { return try dictionary(composite) { try any(try readValue($0), $0) } }
        switch try property(key) {
        case .attribute(let attribute): return try any(try readValue(attribute), attribute)
        case .relationship(let relationship):
            if !relationship.isToMany {
                try requireRead(key)
                try requireContext(for: relationship)
                return destination(relationship)
            }
            let members = try readMembers(relationship)
            return relationship.isOrdered ? members : Set(members)
        }
    }

    /// Sets the value of a property by name: one that ``value(forKey:)`` gives, any integer for a number, or a `Value`.
    ///
    /// A composite attribute takes a dictionary or a `CompositeValue`; missing elements become nil.
    ///
    /// - Throws: `StoreError` with `unknownKey`, also for an unknown element, or with `wrongValue` where the property
    ///   is derived, or the value is of another type, out of range, or an object that cannot be a destination; what a
    ///   store throws where the object cannot be read, or could not be before. The object is unchanged then.
    @_disfavoredOverload
    public func setValue(_ value: Any?, forKey key: String) throws {
        if let composite = entity.compositeAttribute(named: key) {
            let values = try stored(value, composite)
            try requireChangeable(key)
            for (attribute, value) in values { change(attribute.index, to: value) }
            return
        }
        switch try property(key) {
        case .attribute(let attribute):
            let value = try assignable(value, attribute)
            try requireChangeable(key)
            change(attribute.index, to: value)
        case .relationship(let relationship) where !relationship.isToMany:
            let object = try destination(value, relationship)
            let relationship = current(relationship)
            if let object { try requireOrders(of: [object], relationship) }
            try set(object, relationship)
        case .relationship(let relationship):
            let objects = try destinations(value, relationship)
            let relationship = current(relationship)
            try requireOrders(of: objects, relationship)
            try set(objects, relationship)
        }
    }

    /// Returns the IDs of a relationship's destinations, without making objects of them: one at most for a to-one
    /// relationship.
    ///
    /// - Throws: `StoreError` with `unknownKey`; what the store throws.
    @_disfavoredOverload
    public func objectIDs(forRelationshipNamed name: String) throws -> [ObjectID] {
        guard case .relationship(let relationship) = try property(name) else { throw unknownKey(name, "is an attribute") }
        if isDetached { return try heldMembers(relationship).map(\.objectID) }
        if !relationship.isToMany {
            try requireRead(name)
            return readDestinationID(relationship).map { [$0] } ?? []
        }
        let state = try loadedState(relationship)
        if flags.contains(.unreadable) { managedObjectContext?.failedAccesses.didRead(self, name) }
        return relationship.isOrdered ? state.order : state.members.sorted { RowOrder.order($0.reference, $1.reference) == .less }
    }
}
