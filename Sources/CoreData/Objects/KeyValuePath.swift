import Foundation
import StrataModel

/// Values at the ends of paths, as key-value coding gives them.
enum KeyValuePath {
    /// The value at the end of a path from an object.
    static func value(of object: NSManagedObject, _ path: String) -> Any? {
        let (key, rest) = split(path)
        return value(of: object.value(forKey: key), rest)
    }

    /// The objects that a path of relationships leads to.
    static func objects(of object: NSManagedObject, _ path: String) -> [NSManagedObject] {
        switch value(of: object, path) {
        case let object as NSManagedObject: [object]
        case let members as NSSet: members.allObjects.compactMap { $0 as? NSManagedObject }
        case let members as NSOrderedSet: members.array.compactMap { $0 as? NSManagedObject }
        default: []
        }
    }

    private static func split(_ path: String) -> (key: String, rest: String?) {
        guard let dot = path.firstIndex(of: ".") else { return (path, nil) }
        return (String(path[..<dot]), String(path[path.index(after: dot)...]))
    }

    private static func value(of value: Any?, _ path: String?) -> Any? {
        guard let value, let path else { return value }
        switch value {
        case let object as NSManagedObject: return self.value(of: object, path)
        case let members as NSSet: return collection(members.allObjects, path) { NSSet(array: $0) }
        case let members as NSOrderedSet: return collection(members.array, path) { NSOrderedSet(array: $0) }
        case let members as NSArray: return collection(members.map { $0 }, path) { NSArray(array: $0) }
        case let dictionary as [String: Any]:
            let (key, rest) = split(path)
            return self.value(of: dictionary[key], rest)
        default: programmerError("a value of type \(type(of: value)) is not key value coding-compliant for the key \"\(path)\".")
        }
    }

    /// What a collection operator makes of the members, or the members' own values.
    private static func collection(_ members: [Any], _ path: String, _ make: ([Any]) -> Any) -> Any? {
        let (key, rest) = split(path)
        guard key.hasPrefix("@") else { return make(members.compactMap { value(of: $0, path) }) }
        let values = members.compactMap { value(of: $0, rest) }
        let numbers = values.compactMap { ($0 as? NSNumber)?.doubleValue }
        switch key {
        case "@count": return NSNumber(value: members.count)
        case "@sum": return sum(values)
        case "@avg": return NSNumber(value: numbers.isEmpty ? 0 : numbers.reduce(0, +) / Double(numbers.count))
        case "@min": return values.min(by: precedes)
        case "@max": return values.max(by: precedes)
        case "@unionOfObjects": return NSArray(array: values)
        case "@distinctUnionOfObjects": return NSArray(array: NSOrderedSet(array: values).array)
        default: programmerError("\(key) is no collection operator")
        }
    }

    /// Exact where all values are decimal or integers.
    private static func sum(_ values: [Any]) -> NSNumber {
        let numbers = values.compactMap { $0 as? NSNumber }
        if numbers.contains(where: { $0.isFloatingPoint && !($0 is NSDecimalNumber) }) {
            return NSNumber(value: numbers.reduce(0) { $0 + $1.doubleValue })
        }
        return NSDecimalNumber(decimal: numbers.reduce(Decimal(0)) { $0 + $1.decimalValue })
    }

    private static func precedes(_ first: Any, _ second: Any) -> Bool {
        switch (first, second) {
        case (let first as NSNumber, let second as NSNumber): first.compare(second) == .orderedAscending
        case (let first as String, let second as String): first < second
        case (let first as Date, let second as Date): first < second
        default: false
        }
    }
}
