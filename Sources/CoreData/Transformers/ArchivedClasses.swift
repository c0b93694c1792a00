import StrataModel

/// The classes in a keyed archive, checked before an object is made: Foundation's unarchiver traps for a class that is
/// not allowed, which data of a store must not.
struct ArchivedClasses {
    private typealias Value = BinaryPropertyList.Value

    private static let collections: Set<String> = ["NSArray", "NSDictionary", "NSSet", "NSOrderedSet"]
    /// The maximum number of values in an archive, each a few bytes.
    private static let limit = 1 << 24

    private let objects: [Value]
    private let top: Value

    /// `nil` for data other than keyed archives.
    init?(_ data: Data) {
        guard let list = BinaryPropertyList.value(in: Array(data), nesting: 64, values: ArchivedClasses.limit),
            let archive = KeyedArchive(list)
        else { return nil }
        (objects, top) = (archive.objects, archive.top)
    }

    /// Whether all classes of the archive exist.
    var areKnown: Bool {
        objects.allSatisfy { object in
            guard case .dictionary(let fields) = object, case .string(let name)? = fields["$classname"] else { return true }
            return NSClassFromString(name) != nil
        }
    }

    /// Returns whether the archived object, and the members of its collections, have some of the given classes.
    ///
    /// Other objects' own classes check their parts.
    func areOnly(_ allowed: [AnyClass]) -> Bool {
        let names = Set(allowed.map(ArchivedClasses.name))
        var seen: Set<Int> = []
        var due: [Value] = [top]
        while let value = due.popLast() {
            switch value {
            case .uid(let number):
                guard seen.insert(number).inserted else { continue }
                guard objects.indices.contains(number) else { return false }
                if objects[number] != .string("$null") { due.append(objects[number]) }
            case .array(let values): due += values
            case .dictionary(let fields):
                guard let classes = classes(of: fields), !names.isDisjoint(with: classes),
                    classes.first.flatMap({ NSClassFromString($0) }) != nil
                else { return false }
                if !ArchivedClasses.collections.isDisjoint(with: classes) { due += fields.filter { $0.key != "$class" }.values }
            case .string: if !names.contains("NSString") { return false }
            case .data: if !names.contains("NSData") { return false }
            default: if !names.contains("NSNumber") { return false }
            }
        }
        return true
    }

    /// Returns the name of a class in archives; Foundation's function traps for nested classes.
    private static func name(of anyClass: AnyClass) -> String {
        let name = String(reflecting: anyClass)
        return name.hasPrefix("Foundation.") ? String(name.dropFirst("Foundation.".count)) : name
    }

    /// Returns the names of an object's class and its superclasses.
    private func classes(of fields: [String: Value]) -> [String]? {
        guard case .uid(let number)? = fields["$class"], objects.indices.contains(number),
            case .dictionary(let description) = objects[number], case .array(let classes)? = description["$classes"]
        else { return nil }
        return classes.compactMap { if case .string(let name) = $0 { name } else { nil } }
    }
}
