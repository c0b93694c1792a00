public import StrataGraph
public import StrataModel

extension NSManagedObject: SelectivelyValidating {
    /// Whether the class overrides ``validateValue(_:forKey:)``, or has a method that validates a property.
    package final class var validatesProperties: Bool { ValidationOverrides.areThere(in: self) || NamedMembers.of(self).validates }

    /// Passes a value to ``validateValue(_:forKey:)`` before a save, and takes a replacement that meets the rules.
    ///
    /// - Throws: The error of the method; `ValidationError` for the replaced value.
    public final func validate(_ value: Value, forKey key: String) throws {
        try validate(Boxing.boxed(value, (self as ManagedObject).entity.attribute(named: key)?.type), key)
    }

    package final func validateDestinations(forKey key: String) throws { try validate(keptValue(forKey: key), key) }

    private func validate(_ value: Any?, _ key: String) throws {
        var given = value as AnyObject?
        let before = given
        let context = managedObjectContext
        context?.checkedValue = (ObjectIdentifier(self), key)
        defer { context?.checkedValue = nil }
        try unsafe validateValue(&given, forKey: key)
        if given === before { return }
        setValue(given, forKey: key)
        let type = (self as ManagedObject).entity.attribute(named: key)?.type
        try (self as ManagedObject).validateValue(Boxing.unboxed(given, type), forKey: key, asking: nil)
    }

    /// Implements ``validateValue(_:forKey:)``: the rules of the model come first, as on Apple's systems.
    final func checkValue(_ value: UnsafeMutablePointer<AnyObject?>, _ key: String) throws {
        try unsafe checkRules(value.pointee, key)
        if let validate = unsafe NamedMembers.of(Self.self).validation(of: key) { try unsafe validate(self, value) }
    }

    private func checkRules(_ given: AnyObject?, _ key: String) throws {
        let attribute = (self as ManagedObject).entity.attribute(named: key)
        // The graph reports violated rules itself when it calls the method.
        if let checked = managedObjectContext?.checkedValue, checked == (ObjectIdentifier(self), key) { return }
        // Derived values, which the store computes, are not validated.
        if attribute?.isDerived == true { return }
        let type = attribute?.type
        try rethrowing { try (self as ManagedObject).validateValue(Boxing.unboxed(given, type), forKey: key, asking: nil) }
    }

    /// Converts thrown errors to Core Data's.
    final func rethrowing<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch { throw cocoaError(error, in: (self as ManagedObject).managedObjectContext) }
    }
}

/// Finds the classes that override ``NSManagedObject/validateValue(_:forKey:)``, to box values for those only.
private enum ValidationOverrides {
    private final class Plain: NSManagedObject {}

    private final class Overriding: NSManagedObject {
        override func validateValue(_ value: UnsafeMutablePointer<AnyObject?>, forKey key: String) throws {}
    }

    /// The index of the method in a class's method table, in words.
    private static let methodIndex: Int? = {
        let indexes = ClassLayout(NSManagedObject.self).methods(overriddenIn: Overriding.self, plain: Plain.self)
        return indexes.count == 1 ? indexes[0] : nil
    }()

    /// Returns whether a class, or one between it and NSManagedObject, overrides the method; true if that is unknown.
    static func areThere(in type: NSManagedObject.Type) -> Bool {
        guard let methodIndex else { return true }
        return ClassLayout(type)[methodIndex] != ClassLayout(Plain.self)[methodIndex]
    }
}
