import StrataModel

/// A collection of Foundation's with the values of its elements by key.
public protocol KeyedCollection: Sequence {}

extension NSArray: KeyedCollection {}
extension NSOrderedSet: KeyedCollection {}
extension NSSet: KeyedCollection {}

extension KeyedCollection {
    /// Returns the elements' values for a key: of an array in their order, with `NSNull` for nil, of a set each once.
    ///
    /// - Precondition: The elements are managed objects, dictionaries, or collections of such.
    public func value(forKey key: String) -> Any { KeyValuePath.value(of: self, key) ?? NSNull() }

    /// Returns the value of a collection operator, `@sum.price`, or the elements' values at the end of a path.
    public func value(forKeyPath keyPath: String) -> Any? { KeyValuePath.value(of: self, keyPath) }

    /// Sets a value of every element; other elements than managed objects are skipped.
    public func setValue(_ value: Any?, forKey key: String) {
        for case let object as NSManagedObject in self { object.setValue(value, forKey: key) }
    }
}

extension NSDictionary {
    /// Returns the value at the end of a path through dictionaries and objects.
    public func value(forKeyPath keyPath: String) -> Any? { KeyValuePath.value(of: self, keyPath) }
}

/// Lets sets be written as array literals, as on Apple's systems: `person.pets ?? []`.
///
/// It stands in for an initializer that an extension of a class cannot have.
public protocol ArrayLiteralSet {}

extension ArrayLiteralSet where Self: NSSet {
    /// Creates a set of the elements.
    public init(arrayLiteral elements: Any...) {
        // A literal has the class itself, or its mutable subclass, in whose metatype this runs.
        let set = Self.self == NSMutableSet.self ? NSMutableSet(array: elements) : NSSet(array: elements)
        guard let set = set as? Self else { programmerError("\(Self.self) cannot be made of an array literal") }
        self = set
    }
}

extension NSSet: ArrayLiteralSet {}
extension NSSet: @retroactive ExpressibleByArrayLiteral {}

/// Values at the ends of paths, as of key-value coding.
enum KeyValuePath {
    /// Returns the value at the end of a path from an object.
    static func value(of object: NSManagedObject, _ path: String) -> Any? {
        let (key, rest) = split(path)
        return value(of: object.value(forKey: key), rest)
    }

    /// Returns the objects at the end of a path of relationships.
    static func objects(of object: NSManagedObject, _ path: String) -> [NSManagedObject] {
        switch value(of: object, path) {
        case let object as NSManagedObject: [object]
        case let members as NSSet: members.allObjects.compactMap { $0 as? NSManagedObject }
        case let members as NSOrderedSet: members.array.compactMap { $0 as? NSManagedObject }
        default: []
        }
    }

    /// Returns the elements of a composite attribute with another value at the end of a path.
    static func setting(_ value: Any?, at path: String, in elements: [String: Any]) -> [String: Any] {
        let (key, rest) = split(path)
        var elements = elements
        elements[key] = rest.map { setting(value, at: $0, in: elements[key] as? [String: Any] ?? [:]) } ?? value ?? NSNull()
        return elements
    }

    private static func split(_ path: String) -> (key: String, rest: String?) {
        guard let dot = path.firstIndex(of: ".") else { return (path, nil) }
        return (String(path[..<dot]), String(path[path.index(after: dot)...]))
    }

    /// Returns the value at the end of a path from any value with keys.
    static func value(of value: Any?, _ path: String?) -> Any? {
        guard let value, let path, path != "self" else { return value }
        switch value {
        case let object as NSManagedObject: return self.value(of: object, path)
        case let members as NSSet: return collection(members.allObjects, path) { NSSet(array: $0) }
        case let members as NSOrderedSet:
            return collection(members.array, path) { values in
                // Foundation's own initializer takes equal elements more than once on Linux.
                let distinct = NSMutableOrderedSet()
                for value in values { distinct.add(value) }
                return distinct
            }
        case let members as NSArray:
            if path.hasPrefix("@") { return collection(members.map { $0 }, path) { NSArray(array: $0) } }
            return NSArray(array: members.map { self.value(of: $0, path) ?? NSNull() })
        case is NSNull: return nil
        case let dictionary as [String: Any]:
            let (key, rest) = split(path)
            return self.value(of: dictionary[key], rest)
        default: return Operand(value).value(forKeyPath: path).any
        }
    }

    /// Returns the value of a collection operator for the members, or the members' own values.
    private static func collection(_ members: [Any], _ path: String, _ make: ([Any]) -> Any) -> Any? {
        let (key, rest) = split(path)
        guard key.hasPrefix("@") else { return make(members.compactMap { value(of: $0, path) }) }
        // The number of members, with or without a value.
        if key == "@count" { return NSNumber(value: members.count) }
        guard let result = Operand.collect(String(key.dropFirst()), members.map { Operand(value(of: $0, rest)) }) else {
            programmerError("\(key) is no collection operator")
        }
        switch (key, result) {
        // A mean of nothing is zero here, and nil in a query.
        case ("@avg", .value(.null)): return NSNumber(value: 0)
        case ("@sum", .value(.int(let sum))): return NSDecimalNumber(value: sum)
        default: return result.elements == nil ? result.any : (result.any as? [Any]).map { NSArray(array: $0) }
        }
    }
}
