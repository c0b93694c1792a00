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
        public protocol ManagedPropertyValue {}
        extension Int: ManagedPropertyValue {}
        extension String: ManagedPropertyValue {}
        @inlinable public func _managedValue<T: ManagedPropertyValue>(_ key: ManagedKey, of object: NSManagedObject) -> T {
            object.storage[key.name] as! T
        }
        @inlinable public func _managedValue<T: ManagedPropertyValue>(_ key: ManagedKey, of object: NSManagedObject) -> T? {
            object.storage[key.name] as! T?
        }
        @inlinable public func _managedValue<T: RawRepresentable>(_ key: ManagedKey, of object: NSManagedObject) -> T {
            T(rawValue: object.storage[key.name] as! T.RawValue)!
        }
        @inlinable public func _managedValue<T: RawRepresentable>(_ key: ManagedKey, of object: NSManagedObject) -> T? {
            object.storage[key.name].flatMap { T(rawValue: $0 as! T.RawValue) }
        }
        @inlinable @_disfavoredOverload public func _managedValue<T>(_ key: ManagedKey, of object: NSManagedObject) -> T {
            object.storage[key.name] as! T
        }
        @inlinable public func _setManagedValue<T: RawRepresentable>(_ value: T, _ key: ManagedKey, of object: NSManagedObject) {
            object.storage[key.name] = value.rawValue
        }
        @inlinable public func _setManagedValue<T: RawRepresentable>(_ value: T?, _ key: ManagedKey, of object: NSManagedObject) {
            object.storage[key.name] = value?.rawValue
        }
        @inlinable public func _setManagedValue<T: ManagedPropertyValue>(
            _ value: T, _ key: ManagedKey, of object: NSManagedObject
        ) {
            object.storage[key.name] = value
        }
        @inlinable public func _setManagedValue<T: ManagedPropertyValue>(
            _ value: T?, _ key: ManagedKey, of object: NSManagedObject
        ) {
            object.storage[key.name] = value
        }
        @inlinable @_disfavoredOverload public func _setManagedValue<T>(_ value: T, _ key: ManagedKey, of object: NSManagedObject) {
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
        """#
}
