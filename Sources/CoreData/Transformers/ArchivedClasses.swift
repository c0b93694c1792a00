import StrataModel

/// The classes in a keyed archive, checked before an object is made: Foundation's unarchiver traps for a class that is
/// not allowed, which data of a store must not.
struct ArchivedClasses {
    private typealias Value = BinaryPropertyList.Value

    private static let collections: Set<String> = ["NSArray", "NSDictionary", "NSSet", "NSOrderedSet"]
    /// The maximum number of values in an archive, each a few bytes.
    private static let limit = 1 << 24

    private let archive: KeyedArchive
    private let data: Data

    /// `nil` for data other than keyed archives.
    init?(_ data: Data) {
        guard let list = BinaryPropertyList.value(in: Array(data), nesting: 64, values: ArchivedClasses.limit),
            let archive = KeyedArchive(list)
        else { return nil }
        (self.archive, self.data) = (archive, data)
    }

    /// Whether all classes of the archive exist.
    var areKnown: Bool { archive.classNames.allSatisfy { ArchivedClasses.named($0) != nil } }

    /// Returns the archived object, of one of the given classes; of any class for `nil`.
    ///
    /// Returns `nil` where an object of the archive cannot be decoded.
    func object(_ allowed: [AnyClass]?) -> Any? {
        guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data) else { return nil }
        unarchiver.requiresSecureCoding = allowed != nil
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        // Foundation finds no class within another type.
        for name in archive.classNames where NSClassFromString(name) == nil {
            unarchiver.setClass(ArchivedClasses.named(name), forClassName: name)
        }
        for type in allowed ?? [] { unarchiver.setClass(type, forClassName: ArchivedClasses.name(of: type)) }
        unarchiver.setClass(ArchivedDecimalNumber.self, forClassName: "NSDecimalNumber")
        let key = NSKeyedArchiveRootObjectKey
        let object = allowed.map { unarchiver.decodeObject(of: $0, forKey: key) } ?? unarchiver.decodeObject(forKey: key)
        return archive.classNames.contains("NSDecimalNumber") ? object.map(ArchivedClasses.withDecimalNumbers) : object
    }

    /// Returns an object with decimal numbers of Foundation's class in its collections, which those of the archive are a subclass of:
    /// Foundation casts the numbers of any other class to `Bool` and `Int`.
    private static func withDecimalNumbers(_ value: Any) -> Any {
        switch value {
        case let number as ArchivedDecimalNumber: return NSDecimalNumber(decimal: number.decimalValue)
        case let array as NSMutableArray:
            for index in 0..<array.count { array.replaceObject(at: index, with: withDecimalNumbers(array.object(at: index))) }
            return array
        case let array as NSArray where type(of: value) is AnyClass: return NSArray(array: array.map(withDecimalNumbers))
        case let dictionary as NSMutableDictionary:
            for case let key as AnyHashable in dictionary.allKeys {
                if let value = dictionary.object(forKey: key) { dictionary.setObject(withDecimalNumbers(value), forKey: key) }
            }
            return dictionary
        case let dictionary as NSDictionary where type(of: value) is AnyClass:
            let copy = dictionary.mutableCopy()
            _ = withDecimalNumbers(copy)
            return (copy as? NSDictionary)?.copy() ?? value
        case let array as [Any]: return array.map(withDecimalNumbers)
        case let dictionary as [AnyHashable: Any]: return dictionary.mapValues(withDecimalNumbers)
        default: return value
        }
    }

    /// Returns whether the archived object, and the members of its collections, have some of the given classes.
    ///
    /// Other objects' own classes check their parts.
    func areOnly(_ allowed: [AnyClass]) -> Bool {
        let names = Set(allowed.map(ArchivedClasses.name))
        var seen: Set<Int> = []
        var due: [Value] = [archive.top]
        while let value = due.popLast() {
            switch value {
            case .uid(let number):
                guard seen.insert(number).inserted else { continue }
                guard archive.objects.indices.contains(number) else { return false }
                if archive.objects[number] != .string("$null") { due.append(archive.objects[number]) }
            case .array(let values): due += values
            case .dictionary(let fields):
                guard let classes = classes(of: fields), let name = classes.first, !names.isDisjoint(with: classes),
                    names.contains(name) || ArchivedClasses.named(name) != nil
                else { return false }
                if !ArchivedClasses.collections.isDisjoint(with: classes) { due += fields.filter { $0.key != "$class" }.values }
            case .string: if !names.contains("NSString") { return false }
            case .data: if !names.contains("NSData") { return false }
            default: if !names.contains("NSNumber") { return false }
            }
        }
        return true
    }

    /// Returns the name of a class in archives; Foundation's function traps for a class within another type.
    static func name(of anyClass: AnyClass) -> String {
        let name = String(reflecting: anyClass)
        if name.hasPrefix("Foundation.") { return String(name.dropFirst("Foundation.".count)) }
        return name.count(where: { $0 == "." }) > 1 ? _mangledTypeName(anyClass) ?? name : name
    }

    /// Returns the class with a name of an archive.
    private static func named(_ name: String) -> AnyClass? {
        // Only names of this form: the runtime dereferences others.
        let isMangled = name.first?.isNumber == true && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        return isMangled ? _typeByName(name) as? AnyClass : NSClassFromString(name)
    }

    /// Returns the names of an object's class and its superclasses.
    private func classes(of fields: [String: Value]) -> [String]? {
        guard case .uid(let number)? = fields["$class"], archive.objects.indices.contains(number),
            case .dictionary(let description) = archive.objects[number], case .array(let classes)? = description["$classes"]
        else { return nil }
        return classes.compactMap { if case .string(let name) = $0 { name } else { nil } }
    }
}
