import Synchronization

/// The members that a class and its superclasses declare for Objective-C, by name.
///
/// Shared between threads: it is immutable, and its accessors and methods may be called by any thread.
@safe final class NamedMembers: @unchecked Sendable {
    struct Property {
        var get: (NSManagedObject) -> Any?
        var set: ((NSManagedObject, Any?) -> Bool)?
    }

    typealias Validation = (NSManagedObject, UnsafeMutablePointer<AnyObject?>) throws -> Void

    private static let known = Mutex<[ObjectIdentifier: NamedMembers]>([:])
    /// The tables of modules, by name; nil for a module without such members.
    private static let tables = Mutex<[Substring: (any ManagedMemberTable.Type)?]>([:])
    /// The names of modelled properties for which some class has an accessor of its own.
    private static let accessed = Mutex<Set<String>>([])
    private static let hasAccessors = Atomic<Bool>(false)

    private let properties: [String: Property]
    private let validations: [String: Validation]
    /// The names of properties by their key paths.
    private let names: [AnyKeyPath: String]

    /// Returns the name of the property that a key path of a class references; `nil` if the class does not declare it so.
    static func name(of keyPath: AnyKeyPath) -> String? {
        (type(of: keyPath).rootType as? NSManagedObject.Type).flatMap { of($0).names[keyPath] }
    }

    /// Returns the property of a key, by the rules of key-value coding: `getTall`, `tall` or `isTall`.
    func property(_ key: String) -> Property? {
        if properties.isEmpty { return nil }
        let name = NamedMembers.capitalized(key)
        return properties["get" + name] ?? properties[key] ?? properties["is" + name]
    }

    /// Registers an entity's class, which may have accessors of its own for some of the entity's properties.
    static func note(_ type: NSManagedObject.Type, of entity: NSEntityDescription) {
        let properties = type == NSManagedObject.self ? [:] : of(type).properties
        let names = properties.isEmpty ? [] : entity.propertiesByName.keys.filter { properties[$0] != nil }
        if names.isEmpty { return }
        accessed.withLock { $0.formUnion(names) }
        hasAccessors.store(true, ordering: .releasing)
    }

    /// Returns a class's own accessor of a modelled property, without look-up if the program has no such class.
    static func accessor(_ key: String, of type: NSManagedObject.Type) -> Property? {
        hasAccessors.load(ordering: .acquiring) ? of(type).properties[key] : nil
    }

    /// Returns whether some class has an accessor of its own for a modelled property of one of some names.
    static func areAccessed(_ names: @autoclosure () -> Set<String>) -> Bool {
        hasAccessors.load(ordering: .acquiring) && accessed.withLock { !$0.isDisjoint(with: names()) }
    }

    /// Whether there is a validating method.
    var validates: Bool { unsafe !validations.isEmpty }

    func validation(of key: String) -> Validation? { unsafe validates ? validations[NamedMembers.capitalized(key)] : nil }

    private static func capitalized(_ key: String) -> String { key.prefix(1).uppercased() + key.dropFirst() }

    static func of(_ type: NSManagedObject.Type) -> NamedMembers {
        if let members = known.withLock({ $0[ObjectIdentifier(type)] }) { return members }
        // Made outside the lock, since it looks up the superclass too; two that are made at once are equal.
        let members = NamedMembers(type)
        known.withLock { $0[ObjectIdentifier(type)] = members }
        return members
    }

    private init(_ type: NSManagedObject.Type) {
        let above = (_getSuperclass(type) as? NSManagedObject.Type).map { $0 == NSManagedObject.self ? nil : NamedMembers.of($0) } ?? nil
        var properties = above?.properties ?? [:]
        var validations = unsafe above?.validations ?? [:]
        var names: [AnyKeyPath: String] = [:]
        for member in NamedMembers.table(of: String(reflecting: type).prefix { $0 != "." })?._members(of: type) ?? [] {
            if let keyPath = member.keyPath { names[keyPath] = member.name }
            switch member.role {
            case .property(let get, let set): properties[member.name] = Property(get: get, set: set)
            case .validation(let validate): unsafe validations[member.name] = validate
            case .modelled: break
            }
        }
        self.properties = properties
        self.names = names
        unsafe self.validations = validations
    }

    /// Returns the table of a module; nil where it has none.
    static func table(of module: Substring) -> (any ManagedMemberTable.Type)? {
        if let known = tables.withLock({ $0[module] }) { return known }
        // The mangled name: the table is an enumeration of the module's.
        let table = _typeByName("\(module.utf8.count)\(module)15_ManagedMembersO") as? any ManagedMemberTable.Type
        tables.withLock { $0[module] = .some(table) }
        return table
    }
}
