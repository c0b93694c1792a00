/// A member of a class that Core Data finds by name if the class declares it with `@objc`: a property, a method that
/// returns a value, or one that validates the value of a property.
///
/// The plugin `CoreDataClasses` lists those of a target in a ``ManagedMemberTable``.
public struct ManagedMember {
    @safe enum Role {
        case property(get: (NSManagedObject) -> Any?, set: ((NSManagedObject, Any?) -> Bool)?)
        case validation((NSManagedObject, UnsafeMutablePointer<AnyObject?>) throws -> Void)
        /// Of the model, which has its value.
        case modelled
    }

    let name: String
    let role: Role
    /// The key path of a property; nil for methods.
    let keyPath: AnyKeyPath?

    /// Creates a property, settable by name if the key path is writable.
    public init<Owner: NSManagedObject, Property>(_ owner: Owner.Type, _ name: String, _ path: KeyPath<Owner, Property>) {
        self.name = name
        keyPath = path
        var set: ((NSManagedObject, Any?) -> Bool)?
        if let path = path as? ReferenceWritableKeyPath<Owner, Property> {
            set = { object, value in
                guard let object = object as? Owner,
                    let value = value as? Property ?? Boxing.number(value, as: Property.self)
                        ?? Boxing.enumeration(value, as: Property.self)
                else { return false }
                object[keyPath: path] = value
                return true
            }
        }
        role = .property(get: { ($0 as? Owner).map { $0[keyPath: path] as Any } }, set: set)
    }

    /// Creates a property of the model of a type without samples, which show the name of other properties' key paths.
    public init<Owner: NSManagedObject, Property>(modelled name: String, _ path: KeyPath<Owner, Property>) {
        self.name = name
        keyPath = path
        role = .modelled
    }

    /// Creates a method without parameters, whose result is the value of its name.
    public init<Owner: NSManagedObject, Result>(_ owner: Owner.Type, _ name: String, _ call: @escaping (Owner) -> Result) {
        self.name = name
        keyPath = nil
        role = .property(get: { ($0 as? Owner).map { call($0) as Any } }, set: nil)
    }

    /// Creates a method that validates a value and may replace it, by the name of the property with a capital first
    /// letter, as in the method's name: `Age` for `validateAge(_:)`.
    public init<Owner: NSManagedObject>(
        _ owner: Owner.Type, validating name: String, _ validate: @escaping (Owner, UnsafeMutablePointer<AnyObject?>) throws -> Void
    ) {
        self.name = name
        keyPath = nil
        unsafe role = .validation { object, value in
            if let object = object as? Owner { try unsafe validate(object, value) }
        }
    }
}

/// The members of a target's classes that Core Data finds by name.
///
/// The plugin's code declares one in each target with such members, under a fixed name.
public protocol ManagedMemberTable: SendableMetatype {
    /// Returns the members that a class itself declares, in any order.
    static func _members(of owner: NSManagedObject.Type) -> [ManagedMember]
    /// Returns the methods that a policy or a manager of migrations itself declares, in any order.
    static func _functions(of owner: AnyClass) -> [ManagedFunction]
}

extension ManagedMemberTable {
    public static func _functions(of owner: AnyClass) -> [ManagedFunction] { [] }
}

/// A method of an `NSEntityMigrationPolicy` or an `NSMigrationManager` that expressions of mapping models call by its selector, if
/// the class declares it with `@objc`.
public struct ManagedFunction {
    let selector: String
    let call: (AnyObject, [Any?]) throws -> Any?

    /// Creates a method; the call is given the arguments as of `value(forKey:)`, and what it throws ends the migration.
    public init<Owner: AnyObject>(_ owner: Owner.Type, _ selector: String, _ call: @escaping (Owner, [Any?]) throws -> Any?) {
        self.selector = selector
        self.call = { object, arguments in try (object as? Owner).flatMap { try call($0, arguments) } }
    }

    /// Returns the method that an object's class, or a superclass, declares for a selector.
    static func named(_ selector: String, of object: AnyObject) -> ManagedFunction? {
        var owner: AnyClass? = type(of: object)
        while let type = owner {
            let functions = NamedMembers.table(of: String(reflecting: type).prefix { $0 != "." })?._functions(of: type) ?? []
            if let found = functions.first(where: { $0.selector == selector }) { return found }
            owner = _getSuperclass(type)
        }
        return nil
    }
}

/// Returns an argument of a method that an expression calls; numbers are of any numeric type.
///
/// - Throws: An `NSError` with `NSKeyValueValidationError` for a value of another type, or a missing one.
public func _managedArgument<T>(_ arguments: [Any?], _ index: Int) throws -> T {
    let value = index < arguments.count ? arguments[index] : nil
    if let fitting = value as? T ?? Boxing.number(value, as: T.self) { return fitting }
    throw CocoaError(.keyValueValidation)
}
