import Foundation
import StrataGraph
public import StrataModel
import StrataQuery

extension ManagedKey {
    /// The value of an attribute whose place in the object's entity is not known yet.
    @usableFromInline
    func value<V: ValueConvertible>(of object: NSManagedObject) -> V? {
        fits(V.self, object) ? object[Key<V>(key)] : converted(of: object)
    }

    /// The value of an attribute whose place in the object's entity is not known yet, or that has none; zero then, or empty.
    @usableFromInline
    func requiredValue<V: ValueConvertible>(of object: NSManagedObject) -> V {
        fits(V.self, object) ? object[required: Key<V>(key)] : requiredConverted(of: object)
    }

    /// Sets the value of an attribute whose place in the object's entity is not known yet.
    @usableFromInline
    func setValue<V: ValueConvertible>(_ value: V?, of object: NSManagedObject) {
        if fits(V.self, object) { object[Key<V>(key)] = value } else { setConverted(value, of: object) }
    }

    /// Whether an attribute is of a type that a property's is read from as it is.
    ///
    /// Else its value is converted, as Core Data does it: that of an `Int16` where the attribute keeps 64 bits, or the `Double` of a date. The
    /// place of such a one is never remembered.
    private func fits<V: ValueConvertible>(_: V.Type, _ object: NSManagedObject) -> Bool {
        (object as ManagedObject).entity.attribute(named: name).map { V.fits($0.type) } ?? true
    }

    /// The value of an attribute of another type.
    private func converted<V: ValueConvertible>(of object: NSManagedObject) -> V? {
        switch object.value(forKey: name) {
        case let date as Date: date.timeIntervalSinceReferenceDate as? V
        case let number as NSNumber: number.converted()
        case let value: value as? V
        }
    }

    /// The value of an attribute of another type; zero where there is none.
    private func requiredConverted<V: ValueConvertible>(of object: NSManagedObject) -> V {
        if let value: V = converted(of: object) ?? NSNumber(value: 0).converted() { return value }
        programmerError("\(name) of \(type(of: object)) has no value, and is declared as \(V.self)")
    }

    /// Sets the value of an attribute of another type.
    private func setConverted<V: ValueConvertible>(_ value: V?, of object: NSManagedObject) {
        if let seconds = value as? Double, (object as ManagedObject).entity.attribute(named: name)?.type == .date {
            object.setValue(Date(timeIntervalSinceReferenceDate: seconds), forKey: name)
        } else {
            object.setValue(value, forKey: name)
        }
    }
}

extension NSNumber {
    /// The number as one of another type: what it has not is cut off.
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
