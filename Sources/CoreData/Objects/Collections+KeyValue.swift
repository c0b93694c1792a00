public import Foundation

extension NSArray {
    /// Returns the elements' values for a key, in their order, with `NSNull` for those that have none.
    ///
    /// - Precondition: The elements are managed objects, dictionaries, or collections of such.
    public func value(forKey key: String) -> Any { KeyValuePath.value(of: self, key) ?? NSNull() }

    /// Returns the value of a collection operator, `@sum.price`, or the elements' values at the end of a path.
    public func value(forKeyPath keyPath: String) -> Any? { KeyValuePath.value(of: self, keyPath) }

    /// Sets a value of every element; those that are not managed objects are passed over.
    public func setValue(_ value: Any?, forKey key: String) {
        for case let object as NSManagedObject in self { object.setValue(value, forKey: key) }
    }
}

extension NSSet {
    /// Returns the elements' values for a key, each once.
    ///
    /// - Precondition: The elements are managed objects, dictionaries, or collections of such.
    public func value(forKey key: String) -> Any { KeyValuePath.value(of: self, key) ?? NSNull() }

    /// Returns the value of a collection operator, `@sum.price`, or the elements' values at the end of a path.
    public func value(forKeyPath keyPath: String) -> Any? { KeyValuePath.value(of: self, keyPath) }

    /// Sets a value of every element; those that are not managed objects are passed over.
    public func setValue(_ value: Any?, forKey key: String) {
        for case let object as NSManagedObject in self { object.setValue(value, forKey: key) }
    }
}

extension NSOrderedSet {
    /// Returns the elements' values for a key, each once, in their order.
    ///
    /// - Precondition: The elements are managed objects, dictionaries, or collections of such.
    public func value(forKey key: String) -> Any { KeyValuePath.value(of: self, key) ?? NSNull() }

    /// Returns the value of a collection operator, `@sum.price`, or the elements' values at the end of a path.
    public func value(forKeyPath keyPath: String) -> Any? { KeyValuePath.value(of: self, keyPath) }

    /// Sets a value of every element; those that are not managed objects are passed over.
    public func setValue(_ value: Any?, forKey key: String) {
        for case let object as NSManagedObject in self { object.setValue(value, forKey: key) }
    }
}

extension NSDictionary {
    /// Returns the value at the end of a path through dictionaries and objects.
    public func value(forKeyPath keyPath: String) -> Any? { KeyValuePath.value(of: self, keyPath) }
}
