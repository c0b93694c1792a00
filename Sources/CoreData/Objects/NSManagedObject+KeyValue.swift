import StrataGraph
import StrataModel
import StrataQuery
import StrataStore
import StrataText

extension NSManagedObject {
    // MARK: - Reading

    /// Returns the object's value, whatever accessors its class has.
    final func keptValue(forKey key: String) -> Any? {
        switch property(named: key) {
        case nil:
            if let member = NamedMembers.of(Self.self).property(key) {
                Boxing.boxed(member: member.get(self))
            } else if let value = ownValue(forKey: key) {
                value
            } else {
                value(forUndefinedKey: key)
            }
        case .fetched: NSArray(array: reading(key, else: []) { try fetchedObjects(ofProperty: key) })
        case let property?:
            reading(key, else: nil) { Boxing.boxed(try (self as ManagedObject).value(forKey: key), property.attribute?.type) }
        }
    }

    /// Returns the value of a property that every managed object has.
    private func ownValue(forKey key: String) -> Any? {
        switch key {
        case "self": self
        case "objectID": objectID
        case "entity": entity
        case "managedObjectContext": managedObjectContext
        case "description": description
        case "hasChanges": NSNumber(value: hasChanges)
        case "hasPersistentChangedValues": NSNumber(value: hasPersistentChangedValues)
        case "isInserted", "inserted": NSNumber(value: isInserted)
        case "isUpdated", "updated": NSNumber(value: isUpdated)
        case "isDeleted", "deleted": NSNumber(value: isDeleted)
        case "isFault", "fault": NSNumber(value: isFault)
        default: nil
        }
    }

    final func heldValue(forKey key: String) -> Any? {
        switch property(named: key) {
        case nil, .fetched: value(forUndefinedKey: key)
        case let property?:
            reading(key, else: nil) { Boxing.boxed(try (self as ManagedObject).primitiveValue(forKey: key), property.attribute?.type) }
        }
    }

    // MARK: - Setting

    final func setModeledValue(_ value: Any?, forKey key: String) {
        if let set = NamedMembers.accessor(key, of: Self.self)?.set {
            if !set(self, value) { unacceptable(key) }
            return
        }
        set(value, key) { try (self as ManagedObject).setValue($0, forKey: key) }
    }

    /// Sets the argument of an accessor; a value of the wrong type is an error, as in the graph's own accessors.
    final func set(_ given: Any?, _ key: String, _ assign: (Any?) throws -> Void) {
        let property = property(named: key)
        let value: Any?
        switch property {
        case nil:
            guard let set = NamedMembers.of(Self.self).property(key)?.set else {
                // The setter of `date` is `setDate:`, which is that of the key `Date`, too.
                let name = key.prefix(1).lowercased() + key.dropFirst()
                let isSetter = name != key && (hasProperty(name) || NamedMembers.of(Self.self).property(name)?.set != nil)
                return isSetter ? setValue(given, forKey: name) : setValue(given, forUndefinedKey: key)
            }
            if !set(self, given) { unacceptable(key) }
            return
        case .fetched: return setValue(given, forUndefinedKey: key)
        case .composite(let composite): value = Boxing.unboxed(given, composite)
        case .attribute, .relationship: value = Boxing.unboxed(given, property?.attribute?.type)
        }
        do { try assign(value) } catch let error as StoreError where error.code == .wrongValue {
            if let attribute = property?.attribute, keepsUnfit(value, attribute) { return }
            programmerError(
                "Unacceptable type of value for property: property = \"\(key)\"; entity = \"\((self as ManagedObject).entity.name)\"; "
                    + error.message)
        } catch {
            (self as ManagedObject).managedObjectContext?.noteFailedAccess(error, of: self, key, isRead: false)
        }
    }

    /// Traps for a value that a member of the class cannot be set to.
    private func unacceptable(_ key: String) -> Never {
        programmerError("Unacceptable type of value for property: property = \"\(key)\"; class = \"\(type(of: self))\"")
    }

    /// Stores values that the graph rejects and Core Data accepts: an integer out of the attribute's range, which fails
    /// the validation of a save, and a value that a transformer converts to nil, which is stored as nil.
    private func keepsUnfit(_ value: Any?, _ attribute: AttributeDescription) -> Bool {
        if attribute.isDerived { return false }
        if let integer = value as? Int64, attribute.type.isNumeric {
            self[Key<Int64>(attribute.name)] = integer
            return true
        }
        guard let value, attribute.makesNothing(of: value) else { return false }
        (self as ManagedObject)[Key<Value>(attribute.name)] = nil
        return true
    }

    /// Returns the value that is read, or a placeholder on an error: an accessor cannot throw, and the next save does.
    final func reading<T>(_ key: String, else placeholder: T, _ read: () throws -> T) -> T {
        do { return try read() } catch let error as StoreError where error.code == .unknownKey {
            undefinedKey(key, "valueForUndefinedKey:")
        } catch {
            (self as ManagedObject).managedObjectContext?.noteFailedAccess(error, of: self, key, isRead: true)
            return placeholder
        }
    }

    // MARK: - Several at once

    /// Returns the values of some properties by name; none is an `NSNull`.
    public final func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }) { first, _ in first }
    }

    /// Sets the values of some properties by name; an `NSNull` sets nil.
    public final func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues.sortedByKey() { setValue(value is NSNull ? nil : value, forKey: key) }
    }

    final func savedValues(forKeys keys: [String]?) -> [String: Any] {
        if isInserted { return [:] }
        var values = boxed((self as ManagedObject).committedValues(forKeys: keys))
        let entity = (self as ManagedObject).entity
        let keys =
            keys
            ?? entity.attributes.filter { $0.compositeName == nil }.map(\.name) + entity.compositeAttributes.map(\.name)
            + entity.relationships.filter { !$0.isHidden && !$0.isTransient }.map(\.name)
        for key in keys {
            switch values[key] {
            case let id as NSManagedObjectID where entity.relationship(named: key) != nil: values[key] = destination(id)
            case let ids as Set<ObjectID>: values[key] = NSSet(array: ids.map { destination(NSManagedObjectID($0)) })
            case let ids as [ObjectID]: values[key] = NSOrderedSet(array: ids.map { destination(NSManagedObjectID($0)) })
            case nil: values[key] = entity.relationship(named: key).flatMap(noDestinations) ?? NSNull()
            default: break
            }
        }
        return values
    }

    /// Returns the empty value of a to-many relationship.
    private func noDestinations(_ relationship: RelationshipDescription) -> Any? {
        if !relationship.isToMany { return nil }
        return relationship.isOrdered ? NSOrderedSet() : NSSet()
    }

    /// Returns the object with an ID in this object's context; the ID without a context.
    private func destination(_ id: NSManagedObjectID) -> Any { managedObjectContext.map { $0.object(with: id) as Any } ?? id }

    final func boxed(_ values: [String: Any]) -> [String: Any] {
        let entity = (self as ManagedObject).entity
        return Dictionary(
            uniqueKeysWithValues: values.map { ($0, Boxing.boxed($1, entity.attribute(named: $0)?.type) ?? NSNull()) })
    }

    // MARK: - Paths

    /// Returns the value at the end of a path through relationships, or of a collection operator on it: `pets.@count`.
    public final func value(forKeyPath keyPath: String) -> Any? { KeyValuePath.value(of: self, keyPath) }

    /// Sets the value at the end of a path through relationships, or that of an element of a composite attribute.
    public final func setValue(_ value: Any?, forKeyPath keyPath: String) {
        guard let dot = keyPath.firstIndex(of: ".") else { return setValue(value, forKey: keyPath) }
        let (key, rest) = (String(keyPath[..<dot]), String(keyPath[keyPath.index(after: dot)...]))
        if case .composite = property(named: key) {
            let elements = self.value(forKey: key) as? [String: Any] ?? [:]
            return setValue(KeyValuePath.setting(value, at: rest, in: elements), forKey: key)
        }
        for object in KeyValuePath.objects(of: self, key) { object.setValue(value, forKeyPath: rest) }
    }

    // MARK: - The entity's properties

    /// Returns the property of a key; `nil` if the entity has none of that name.
    final func property(named key: String) -> KeyedProperty? { KeyedProperty(key, (self as ManagedObject).entity) }

    /// Returns the objects of a fetched property, whose user info a program may have changed since the model was compiled.
    private func fetchedObjects(ofProperty key: String) throws -> [ManagedObject] {
        let object = self as ManagedObject
        if var property = object.entity.fetchedProperty(named: key) {
            let info = StoredInfo.texts(of: entity.propertiesByName[key]?.userInfo)
            if property.userInfo != info {
                property.userInfo = info
                return try object.fetchedObjects(of: property)
            }
        }
        return try object.fetchedObjects(key)
    }

    final func hasProperty(_ key: String) -> Bool { property(named: key)?.isModeled ?? false }

    /// Traps, as an exception of Objective-C does.
    final func undefinedKey(_ key: String, _ method: String) -> Never {
        programmerError(
            "[<\(type(of: self))> \(method)]: the entity \((self as ManagedObject).entity.name) is not key value coding-compliant "
                + "for the key \"\(key)\".")
    }
}

/// The property that a key of a managed object names.
enum KeyedProperty {
    case attribute(AttributeDescription)
    case relationship(RelationshipDescription)
    case composite(CompositeAttributeDescription)
    /// A fetched property, which cannot be set.
    case fetched

    /// `nil` if the entity has no such property for programs.
    init?(_ key: String, _ entity: EntityDescription) {
        switch entity.property(named: key) {
        case .attribute(let attribute)?: self = .attribute(attribute)
        case .relationship(let relationship)?:
            if relationship.isHidden { return nil }
            self = .relationship(relationship)
        case nil:
            if let composite = entity.compositeAttribute(named: key) {
                self = .composite(composite)
            } else if entity.fetchedProperty(named: key) != nil {
                self = .fetched
            } else {
                return nil
            }
        }
    }

    /// Whether stores, or the object, hold its value.
    var isModeled: Bool {
        if case .fetched = self { false } else { true }
    }

    var attribute: AttributeDescription? {
        if case .attribute(let attribute) = self { attribute } else { nil }
    }
}
