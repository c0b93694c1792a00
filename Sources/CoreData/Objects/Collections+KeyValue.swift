public import Foundation
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
