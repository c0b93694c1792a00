import Synchronization

/// What a class and those above it declare for Objective-C, by name.
///
/// Shared between threads since nothing of it changes once it is made, and what it calls are accessors and methods that any thread may call.
@safe final class NamedMembers: @unchecked Sendable {
    struct Property {
        var get: (NSManagedObject) -> Any?
        var set: ((NSManagedObject, Any?) -> Bool)?
    }

    typealias Validation = (NSManagedObject, UnsafeMutablePointer<AnyObject?>) throws -> Void

    private static let known = Mutex<[ObjectIdentifier: NamedMembers]>([:])

    private let properties: [String: Property]
    private let validations: [String: Validation]

    /// What answers a key, by the rules of key-value coding: `tall`, `isTall` or `getTall`.
    func property(_ key: String) -> Property? {
        if properties.isEmpty { return nil }
        return properties[key] ?? properties["is" + NamedMembers.capitalized(key)] ?? properties["get" + NamedMembers.capitalized(key)]
    }

    /// Whether there is a method that validates.
    var validates: Bool { unsafe !validations.isEmpty }

    func validation(of key: String) -> Validation? { unsafe validates ? validations[NamedMembers.capitalized(key)] : nil }

    private static func capitalized(_ key: String) -> String { key.prefix(1).uppercased() + key.dropFirst() }

    /// The members of a class.
    static func of(_ type: NSManagedObject.Type) -> NamedMembers {
        if let members = known.withLock({ $0[ObjectIdentifier(type)] }) { return members }
        // Made outside the lock, since the class above is asked as well; two that are made at once are equal.
        let members = NamedMembers(type)
        known.withLock { $0[ObjectIdentifier(type)] = members }
        return members
    }

    private init(_ type: NSManagedObject.Type) {
        let above = (_getSuperclass(type) as? NSManagedObject.Type).map { $0 == NSManagedObject.self ? nil : NamedMembers.of($0) } ?? nil
        var properties = above?.properties ?? [:]
        var validations = unsafe above?.validations ?? [:]
        let module = String(reflecting: type).prefix { $0 != "." }
        // The name as it is mangled: the table is an enumeration of the module's.
        let table = _typeByName("\(module.utf8.count)\(module)15_ManagedMembersO") as? any ManagedMemberTable.Type
        for member in table?._members(of: type) ?? [] {
            switch member.role {
            case .property(let get, let set): properties[member.name] = Property(get: get, set: set)
            case .validation(let validate): unsafe validations[member.name] = validate
            }
        }
        self.properties = properties
        unsafe self.validations = validations
    }
}
