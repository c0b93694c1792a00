import StrataGraph
import StrataModel
import StrataQuery

/// The value of an expression in memory: a storable value, a collection, or any other object.
enum Operand {
    /// A value, or a list of values only.
    case value(Value)
    /// A collection with elements other than values.
    case list([Operand])
    /// A managed object, an entity, a dictionary, or any other object with keys.
    case object(Any)

    static var null: Operand { .value(.null) }

    /// Creates the operand of a value of any type; collections by their elements.
    init(_ any: Any?) {
        guard let any = any.flatMap(unwrapped) else {
            self = .null
            return
        }
        if let value = Operand.scalar(any) {
            self = .value(value)
        } else if any is ManagedObject || any is any KeyedValues || any is NSEntityDescription {
            self = .object(any)
        } else if let elements = Operand.elements(of: any) {
            self = Operand(list: elements.map { Operand($0) })
        } else {
            self = .object(any)
        }
    }

    init(list elements: [Operand]) {
        let values = elements.compactMap { if case .value(let value) = $0 { value } else { nil } }
        self = values.count == elements.count ? .value(.list(values)) : .list(elements)
    }

    /// Returns the single value of a Swift or a Foundation value, `nil` for collections and objects.
    static func scalar(_ any: Any) -> Value? {
        switch any {
        case let convertible as any ValueConvertible: convertible.value
        case let number as any BinaryInteger:
            Int64(exactly: number).map { .int($0) } ?? Decimal(string: "\(number)").map { .decimal($0) }
        case let number as any BinaryFloatingPoint: .double(Double(number))
        case let text as any StringProtocol: .string(String(text))
        case let character as Character: .string(String(character))
        case let raw as any RawRepresentable: scalar(raw.rawValue)
        // Casting to a class of Foundation's would copy a collection to bridge it.
        case is any Collection: nil
        case let object as NSObject: scalar(object)
        default: nil
        }
    }

    private static func scalar(_ object: NSObject) -> Value? {
        switch object {
        case let number as NSDecimalNumber: return .decimal(number.decimalValue)
        case let number as NSNumber: return value(of: number)
        case let text as NSString: return .string(String(text))
        case let date as NSDate: return .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate))
        case let data as NSData: return .data(Data(data))
        case let uuid as NSUUID: return UUID(uuidString: uuid.uuidString)?.value
        case let url as NSURL: return URL(string: url.absoluteString)?.value
        case is NSNull: return .null
        case let id as NSManagedObjectID: return .objectID(id.id)
        default: return nil
        }
    }

    private static func value(of number: NSNumber) -> Value {
        switch unsafe UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"), UInt8(ascii: "B"): .bool(number.boolValue)
        case UInt8(ascii: "d"), UInt8(ascii: "f"): .double(number.doubleValue)
        case UInt8(ascii: "Q") where number.uint64Value > UInt64(Int64.max): .decimal(Decimal(number.uint64Value))
        default: .int(number.int64Value)
        }
    }

    /// Returns the elements of a collection, the values of a dictionary; `nil` for anything else.
    static func elements(of any: Any) -> [Any]? {
        switch any {
        case let keyed as any KeyedValues: keyed.memberValues
        case let array as NSArray: Array(array)
        case let set as NSSet: Array(set)
        case let set as NSOrderedSet: set.array
        case let collection as any Collection: collection.map { $0 as Any }
        default: nil
        }
    }

    /// Returns the members of a set or a list; `nil` for dictionaries, text and bytes.
    static func members(of any: Any) -> [Any]? {
        any is any KeyedValues || any is any StringProtocol || any is Data ? nil : elements(of: any)
    }

    var isNull: Bool {
        if case .value(.null) = self { true } else { false }
    }

    /// The elements of a collection, the values of a dictionary; `nil` for a single value.
    var elements: [Operand]? {
        switch self {
        case .value(.list(let values)): values.map { .value($0) }
        case .list(let elements): elements
        case .object(let any): (any as? any KeyedValues)?.memberValues.map { Operand($0) }
        case .value: nil
        }
    }

    /// The operand as a storable value, a managed object as its ID, an entity as its name; `nil` for other objects.
    var value: Value? {
        switch self {
        case .value(let value): return value
        case .object(let any):
            if let object = any as? ManagedObject { return .objectID(object.objectID) }
            if let name = Operand.entityName(any) { return .string(name) }
            return elements.flatMap(Operand.values)
        case .list(let elements): return Operand.values(elements)
        }
    }

    private static func values(_ elements: [Operand]) -> Value? {
        var values: [Value] = []
        for element in elements {
            guard let value = element.value else { return nil }
            values.append(value)
        }
        return .list(values)
    }

    /// The operand as of key-value coding: numbers as `NSNumber`, collections as arrays.
    var any: Any? {
        switch self {
        case .value(let value): Boxing.boxed(value)
        case .list(let elements): elements.map { $0.any ?? NSNull() }
        case .object(let any): any
        }
    }

    /// Returns the name of an entity, which represents it in queries; `nil` for anything else.
    static func entityName(_ any: Any) -> String? { (any as? NSEntityDescription).map { $0.name ?? "" } }

    /// Returns the query expression of an object: for a managed one an ID that stays valid when it is saved, for an
    /// entity its name; `nil` for anything else.
    static func queryExpression(of any: Any) -> QueryExpression? {
        entityName(any).map { .constant(.string($0)) } ?? (any as? ManagedObject)?.queryExpression
    }

    /// Returns the value of a managed object's property, or of an entity's; `nil` for anything else.
    static func property(_ key: String, of any: Any) -> Operand? {
        if let entity = any as? NSEntityDescription { return property(key, of: entity) }
        guard let object = any as? NSManagedObject else { return nil }
        switch key {
        case "objectID": return .value(.objectID((object as ManagedObject).objectID))
        case "entity": return .object(object.entity)
        default: return Operand(object.value(forKey: key))
        }
    }

    private static func property(_ key: String, of entity: NSEntityDescription) -> Operand? {
        switch key {
        case "name": Operand(entity.name)
        case "managedObjectClassName": Operand(entity.managedObjectClassName)
        case "isAbstract", "abstract": Operand(entity.isAbstract)
        case "superentity": Operand(entity.superentity)
        case "renamingIdentifier": Operand(entity.renamingIdentifier)
        default: nil
        }
    }

    /// Returns the values of all attributes of a managed object, `nil` for anything else.
    static func attributes(of any: Any) -> [Operand]? {
        guard let object = any as? NSManagedObject else { return nil }
        return (object as ManagedObject).entity.attributes.map { Operand(object.value(forKey: $0.name)) }
    }
}

/// A dictionary of any type.
protocol KeyedValues {
    func member(_ key: String) -> Any?
    var memberValues: [Any] { get }
}

extension Dictionary: KeyedValues {
    func member(_ key: String) -> Any? { (key as? Key).flatMap { self[$0] } }
    var memberValues: [Any] { values.map { $0 as Any } }
}

extension NSDictionary: KeyedValues {
    func member(_ key: String) -> Any? { object(forKey: key) }
    var memberValues: [Any] { allValues }
}

private protocol AnyOptional {
    var content: Any? { get }
}

extension Optional: AnyOptional {
    var content: Any? { map { $0 as Any } }
}

/// Returns a value without its optionals; `nil` where one is empty.
func unwrapped(_ any: Any) -> Any? {
    guard let optional = any as? any AnyOptional else { return any }
    return optional.content.flatMap(unwrapped)
}
