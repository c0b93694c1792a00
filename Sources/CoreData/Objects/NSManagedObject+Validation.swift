import Foundation
public import StrataGraph
public import StrataModel

extension NSManagedObject: SelectivelyValidating {
    /// Whether the class overrides ``validateValue(_:forKey:)``.
    package final class var validatesProperties: Bool { ValidationOverrides.areThere(in: self) }

    /// Hands a value that is to be saved to ``validateValue(_:forKey:)``, and takes what it makes of it.
    public final func validate(_ value: Value, forKey key: String) throws {
        var given = Boxing.boxed(value, (self as ManagedObject).entity.attribute(named: key)?.type) as AnyObject?
        let before = given
        let context = managedObjectContext
        context?.checkedValue = (ObjectIdentifier(self), key)
        defer { context?.checkedValue = nil }
        try unsafe validateValue(&given, forKey: key)
        if given !== before { setValue(given, forKey: key) }
    }

    final func checkValue(_ value: UnsafeMutablePointer<AnyObject?>, _ key: String) throws {
        let given = unsafe value.pointee
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

    /// The place of the method in a class's table of methods, in words: the only one in which two classes differ that differ in nothing else.
    private static let place: Int? = {
        // Behind the header, which names the class, and before what a subclass adds.
        let header = 7
        let words = Int(size(of: NSManagedObject.self)) / MemoryLayout<UInt>.size
        let differing = (header..<max(header, words)).filter { method(Plain.self, $0) != method(Overriding.self, $0) }
        return differing.count == 1 ? differing[0] : nil
    }()

    /// Whether a class, or one between it and NSManagedObject, overrides the method; true where that cannot be told.
    static func areThere(in type: NSManagedObject.Type) -> Bool {
        guard let place else { return true }
        return method(type, place) != method(Plain.self, place)
    }

    private static func method(_ type: AnyClass, _ place: Int) -> UInt {
        // Right: the words of a class's metadata up to its superclass's size are there in each class, as the Swift ABI lays them out.
        unsafe unsafeBitCast(type, to: UnsafePointer<UInt>.self)[place]
    }

    /// The bytes of a class's metadata behind the address point: its size without what lies before that.
    private static func size(of type: AnyClass) -> UInt32 {
        let metadata = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
        return unsafe metadata.load(fromByteOffset: 32, as: UInt32.self) - metadata.load(fromByteOffset: 36, as: UInt32.self)
    }
}
