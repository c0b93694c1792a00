/// A module `CoreData` that has no more than what accessors call, and keeps values in dictionaries.
enum StandIn {
    static let source = #"""
        @_exported import Foundation
        open class NSManagedObject: Hashable {
            public var storage: [String: Any] = [:]
            public init() {}
            public static func == (a: NSManagedObject, b: NSManagedObject) -> Bool { a === b }
            public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        }
        public class NSFetchRequest<T: AnyObject> { public var name: String; public init(entityName: String) { name = entityName } }
        public typealias NSFetchRequestResult = AnyObject
        public struct ManagedKey: Sendable { public let name: String; public init(_ name: String) { self.name = name } }
        public final class ManagedKeys: Sendable {
            let keys: [ManagedKey]
            public init(_ names: String) { keys = names.split(separator: "\n").map { ManagedKey(String($0)) } }
            public subscript(place: Int) -> ManagedKey { keys[place] }
        }
        @inlinable public func _managedCase<T: RawRepresentable>(_ key: ManagedKey, of object: NSManagedObject) -> T {
            T(rawValue: object.storage[key.name] as! T.RawValue)!
        }
        @inlinable public func _managedOptionalCase<T: RawRepresentable>(_ key: ManagedKey, of object: NSManagedObject) -> T? {
            object.storage[key.name].flatMap { T(rawValue: $0 as! T.RawValue) }
        }
        @inlinable public func _setManagedCase<T: RawRepresentable>(_ value: T, _ key: ManagedKey, of object: NSManagedObject) {
            object.storage[key.name] = value.rawValue
        }
        @inlinable public func _setManagedOptionalCase<T: RawRepresentable>(_ value: T?, _ key: ManagedKey, of object: NSManagedObject) {
            object.storage[key.name] = value?.rawValue
        }
        public func _managedRequired<T>(_ value: T?, _ key: ManagedKey, of object: NSManagedObject) -> T { value! }
        public func _managedSet<T: NSManagedObject>(_ key: ManagedKey, of object: NSManagedObject) -> Set<T> {
            object.storage[key.name] as! Set<T>
        }
        public func _managedOptionalSet<T: NSManagedObject>(_ key: ManagedKey, of object: NSManagedObject) -> Set<T>? {
            object.storage[key.name] as! Set<T>?
        }
        public func _setManagedSet<T: NSManagedObject>(_ value: Set<T>?, _ key: ManagedKey, of object: NSManagedObject) {
            object.storage[key.name] = value
        }
        public func _managedNSNumber(_ key: ManagedKey, of object: NSManagedObject) -> NSNumber? { object.storage[key.name] as! NSNumber? }
        public func _managedNSDecimalNumber(
            _ key: ManagedKey, of object: NSManagedObject
        ) -> NSDecimalNumber? { object.storage[key.name] as! NSDecimalNumber? }
        public func _managedNSString(_ key: ManagedKey, of object: NSManagedObject) -> NSString? { object.storage[key.name] as! NSString? }
        public func _managedNSDate(_ key: ManagedKey, of object: NSManagedObject) -> NSDate? { object.storage[key.name] as! NSDate? }
        public func _managedNSData(_ key: ManagedKey, of object: NSManagedObject) -> NSData? { object.storage[key.name] as! NSData? }
        public func _managedNSURL(_ key: ManagedKey, of object: NSManagedObject) -> NSURL? { object.storage[key.name] as! NSURL? }
        public func _managedNSUUID(_ key: ManagedKey, of object: NSManagedObject) -> NSUUID? { object.storage[key.name] as! NSUUID? }
        public func _managedOptionalNSSet(_ key: ManagedKey, of object: NSManagedObject) -> NSSet? { object.storage[key.name] as! NSSet? }
        public func _managedOptionalNSOrderedSet(
            _ key: ManagedKey, of object: NSManagedObject
        ) -> NSOrderedSet? { object.storage[key.name] as! NSOrderedSet? }
        public func _managedNSSet(_ key: ManagedKey, of object: NSManagedObject) -> NSSet { object.storage[key.name] as! NSSet }
        public func _managedNSOrderedSet(
            _ key: ManagedKey, of object: NSManagedObject
        ) -> NSOrderedSet { object.storage[key.name] as! NSOrderedSet }
        public func _managedNSMutableSet(
            _ key: ManagedKey, of object: NSManagedObject
        ) -> NSMutableSet { object.storage[key.name] as! NSMutableSet }
        public func _managedNSMutableOrderedSet(
            _ key: ManagedKey, of object: NSManagedObject
        ) -> NSMutableOrderedSet { object.storage[key.name] as! NSMutableOrderedSet }
        public func _setManagedNSSet(_ value: NSSet?, _ key: ManagedKey, of object: NSManagedObject) { object.storage[key.name] = value }
        public func _setManagedNSOrderedSet(_ value: NSOrderedSet?, _ key: ManagedKey, of object: NSManagedObject) {
            object.storage[key.name] = value
        }
        public func _managedPrimitiveValue<T>(_ key: ManagedKey, of object: NSManagedObject) -> T {
            object.storage["p." + key.name] as! T
        }
        public func _setManagedPrimitiveValue<T>(_ value: T, _ key: ManagedKey, of object: NSManagedObject) {
            object.storage["p." + key.name] = value
        }
        public func log(_ text: String, _ key: ManagedKey, _ object: NSManagedObject) {
            object.storage["log"] = (object.storage["log"] as? String ?? "") + text + " " + key.name + ";"
        }
        public func _addManagedMember<T: NSManagedObject>(_ key: ManagedKey, _ value: T, of object: NSManagedObject) {
            log("add", key, object)
        }
        public func _removeManagedMember<T: NSManagedObject>(_ key: ManagedKey, _ value: T, of object: NSManagedObject) {
            log("remove", key, object)
        }
        public func _addManagedMembers<T>(_ key: ManagedKey, _ values: T, of object: NSManagedObject) {
            log("addMany", key, object)
        }
        public func _removeManagedMembers<T>(_ key: ManagedKey, _ values: T, of object: NSManagedObject) {
            log("removeMany", key, object)
        }
        public func _insertManagedMember<T: NSManagedObject>(
            _ key: ManagedKey, _ value: T, at index: Int, of object: NSManagedObject
        ) {
            log("insert@\(index)", key, object)
        }
        public func _removeManagedMember(_ key: ManagedKey, at index: Int, of object: NSManagedObject) {
            log("remove@\(index)", key, object)
        }
        public func _insertManagedMembers<T: NSManagedObject>(
            _ key: ManagedKey, _ values: [T], at indexes: NSIndexSet, of object: NSManagedObject
        ) {
            log("insertMany", key, object)
        }
        public func _removeManagedMembers(_ key: ManagedKey, at indexes: NSIndexSet, of object: NSManagedObject) {
            log("removeMany@", key, object)
        }
        public func _replaceManagedMember<T: NSManagedObject>(
            _ key: ManagedKey, at index: Int, with value: T, of object: NSManagedObject
        ) {
            log("replace@\(index)", key, object)
        }
        public func _replaceManagedMembers<T: NSManagedObject>(
            _ key: ManagedKey, at indexes: NSIndexSet, with values: [T], of object: NSManagedObject
        ) {
            log("replaceMany", key, object)
        }
        public struct ManagedMember {
            public let owner: NSManagedObject.Type
            public let name: String
            public let call: (NSManagedObject) throws -> Any
            public init<O: NSManagedObject, T>(_ owner: O.Type, _ name: String, _ path: KeyPath<O, T>) {
                (self.owner, self.name, call) = (owner, name, { ($0 as! O)[keyPath: path] })
            }
            public init<O: NSManagedObject, T>(modelled name: String, _ path: KeyPath<O, T>) {
                (owner, self.name, call) = (NSManagedObject.self, name, { ($0 as! O)[keyPath: path] })
            }
            public init<O: NSManagedObject, T>(_ owner: O.Type, _ name: String, _ body: @escaping (O) -> T) {
                (self.owner, self.name, call) = (owner, name, { body($0 as! O) })
            }
            public init<O: NSManagedObject>(
                _ owner: O.Type, validating name: String, _ body: @escaping (O, UnsafeMutablePointer<AnyObject?>) throws -> Void
            ) {
                (self.owner, self.name) = (owner, "validate" + name)
                call = {
                    var value: AnyObject? = NSNumber(value: 1)
                    try body($0 as! O, &value)
                    return value as! NSNumber
                }
            }
        }
        public struct ManagedFunction {}
        public protocol ManagedMemberTable { static func _members(of owner: NSManagedObject.Type) -> [ManagedMember] }
        public func members(_ module: String, _ object: NSManagedObject) -> [String: Any] {
            let table = _typeByName("\(module.utf8.count)\(module)15_ManagedMembersO") as! any ManagedMemberTable.Type
            var found: [String: Any] = [:]
            var current: AnyClass? = type(of: object)
            while let owner = current as? NSManagedObject.Type {
                for member in table._members(of: owner) where member.owner != NSManagedObject.self { found[member.name] = try! member.call(object) }
                current = _getSuperclass(owner)
            }
            return found
        }
        """# + "\n" + accessors

    /// The accessors that only their names and the types of their values distinguish.
    private static let accessors = [("Value", "T"), ("Any", "T"), ("Object", "T: NSManagedObject"), ("Property", "T")].map { name, type in
        #"""
        @inlinable public func _managed\#(name)<\#(type)>(_ key: ManagedKey, of object: NSManagedObject) -> T {
            object.storage[key.name] as! T
        }
        @inlinable public func _managedOptional\#(name)<\#(type)>(_ key: ManagedKey, of object: NSManagedObject) -> T? {
            object.storage[key.name].map { $0 as! T }
        }
        @inlinable public func _setManaged\#(name)<\#(type)>(_ value: T, _ key: ManagedKey, of object: NSManagedObject) {
            object.storage[key.name] = value
        }
        @inlinable public func _setManagedOptional\#(name)<\#(type)>(_ value: T?, _ key: ManagedKey, of object: NSManagedObject) {
            object.storage[key.name] = value
        }

        """#
    }.joined()
}
