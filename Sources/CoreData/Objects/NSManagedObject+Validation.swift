import Foundation
public import StrataGraph
public import StrataModel

extension NSManagedObject: SelectivelyValidating {
    /// Whether the class overrides ``validateValue(_:forKey:)``, or has a method that validates a property.
    package final class var validatesProperties: Bool { ValidationOverrides.areThere(in: self) || NamedMembers.of(self).validates }

    /// Hands a value that is to be saved to ``validateValue(_:forKey:)``, and takes what it makes of it where the model's rules allow that.
    ///
    /// - Throws: What that throws; `ValidationError` for what it makes of the value.
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

    /// What ``validateValue(_:forKey:)`` does: the rules of the model come first, as on Apple's systems.
    final func checkValue(_ value: UnsafeMutablePointer<AnyObject?>, _ key: String) throws {
        try unsafe checkRules(value.pointee, key)
        if let validate = unsafe NamedMembers.of(Self.self).validation(of: key) { try unsafe validate(self, value) }
    }

    private func checkRules(_ given: AnyObject?, _ key: String) throws {
        let attribute = (self as ManagedObject).entity.attribute(named: key)
        // The graph tells of the rules itself where it asks the method.
        if let checked = managedObjectContext?.checkedValue, checked == (ObjectIdentifier(self), key) { return }
        // What its store computes is for no rule of the model to judge.
        if attribute?.isDerived == true { return }
        let type = attribute?.type
        try rethrowing { try (self as ManagedObject).validateValue(Boxing.unboxed(given, type), forKey: key, asking: nil) }
    }

    /// Hands on what goes wrong as an error of Core Data's.
    final func rethrowing<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch { throw cocoaError(error, in: (self as ManagedObject).managedObjectContext) }
    }
}

/// Tells which classes override ``NSManagedObject/validateValue(_:forKey:)``: the others' values are not boxed for it at each save.
private enum ValidationOverrides {
    private final class Plain: NSManagedObject {}

    private final class Overriding: NSManagedObject {
        override func validateValue(_ value: UnsafeMutablePointer<AnyObject?>, forKey key: String) throws {}
    }

    /// The place of the method in a class's table of methods, in words: the only one that a class without methods inherits, and one that
    /// differs in nothing else does not.
    ///
    /// What makes objects may be each class's own.
    private static let place: Int? = {
        // Behind the header, which names the class, and before what a subclass adds.
        let header = 7
        let (root, plain, overriding) = (ClassLayout(NSManagedObject.self), ClassLayout(Plain.self), ClassLayout(Overriding.self))
        let places = (header..<max(header, root.words)).filter { plain[$0] == root[$0] && overriding[$0] != root[$0] }
        return places.count == 1 ? places[0] : nil
    }()

    /// Whether a class, or one between it and NSManagedObject, overrides the method; true where that cannot be told.
    static func areThere(in type: NSManagedObject.Type) -> Bool {
        guard let place else { return true }
        return ClassLayout(type)[place] != ClassLayout(Plain.self)[place]
    }
}
