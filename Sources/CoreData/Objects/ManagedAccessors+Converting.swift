import Foundation
import StrataGraph
public import StrataModel
import StrataQuery

extension ManagedKey {
    /// Returns the value of an attribute whose slot in the object's entity is not cached yet.
    @usableFromInline
    func value<V: ValueConvertible>(of object: NSManagedObject) -> V? {
        fits(V.self, object) ? object[Key<V>(key)] : converted(of: object)
    }

    /// Returns the value of an attribute whose slot in the object's entity is not cached yet; zero, or empty, for nil.
    @usableFromInline
    func requiredValue<V: ValueConvertible>(of object: NSManagedObject) -> V {
        if fits(V.self, object) { return object[required: Key<V>(key)] }
        if let value: V = converted(of: object) ?? NSNumber(value: 0).converted() { return value }
        programmerError("\(name) of \(type(of: object)) has no value, and is declared as \(V.self)")
    }

    /// Sets the value of an attribute whose slot in the object's entity is not cached yet.
    @usableFromInline
    func setValue<V: ValueConvertible>(_ value: V?, of object: NSManagedObject) {
        if fits(V.self, object) {
            object[Key<V>(key)] = value
        } else if let seconds = value as? Double, (object as ManagedObject).entity.attribute(named: name)?.type == .date {
            object.setValue(Date(timeIntervalSinceReferenceDate: seconds), forKey: name)
        } else {
            object.setValue(value, forKey: name)
        }
    }

    /// Returns whether a property of a type reads the attribute's value without conversion.
    ///
    /// Else its value is converted, as in Core Data: an `Int16` property of a 64-bit attribute, or a `Double` one of a
    /// date. The slot of such an attribute is never cached.
    private func fits<V: ValueConvertible>(_: V.Type, _ object: NSManagedObject) -> Bool {
        (object as ManagedObject).entity.attribute(named: name).map { V.fits($0.type) } ?? true
    }

    /// Returns the value of an attribute of another type.
    private func converted<V: ValueConvertible>(of object: NSManagedObject) -> V? {
        switch object.value(forKey: name) {
        case let date as Date: date.timeIntervalSinceReferenceDate as? V
        case let number as NSNumber: number.converted()
        case let value: value as? V
        }
    }
}

extension NSNumber {
    /// Returns the number in another type, truncated.
    fileprivate func converted<V>() -> V? {
        let number: Any? =
            switch V.self {
            case is Bool.Type: boolValue
            case is Int.Type: intValue
            case is Int16.Type: int16Value
            case is Int32.Type: int32Value
            case is Int64.Type: int64Value
            case is Double.Type: doubleValue
            case is Float.Type: floatValue
            case is Decimal.Type: decimalValue
            default: nil
            }
        return number as? V
    }
}
