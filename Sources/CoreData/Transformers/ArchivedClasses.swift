import Foundation
import StrataPropertyLists

/// What a keyed archive says of its classes, before an object is made of it: Foundation's unarchiver ends the process at one that is not
/// allowed, and data that are read from a store must not.
struct ArchivedClasses {
    private typealias Value = BinaryPropertyList.Value

    private static let collections: Set<String> = ["NSArray", "NSDictionary", "NSSet", "NSOrderedSet"]
    /// An archive holds no more values than that, each a few bytes.
    private static let limit = 1 << 24

    private let objects: [Value]
    private let top: Value

    /// `nil` where data are no keyed archive.
    init?(_ data: Data) {
        let list: Value? = unsafe Array(data).withUnsafeBytes { buffer in
            do { return try unsafe BinaryPropertyList.value(buffer, nesting: 64, values: ArchivedClasses.limit) } catch { return nil }
        }
        guard case .dictionary(let archive)? = list, case .array(let objects)? = archive["$objects"],
            case .dictionary(let top)? = archive["$top"], let root = top[NSKeyedArchiveRootObjectKey]
        else { return nil }
        self.objects = objects
        self.top = root
    }

    /// Whether all classes of the archive are there.
    var areKnown: Bool {
        objects.allSatisfy { object in
            guard case .dictionary(let fields) = object, case .string(let name)? = fields["$classname"] else { return true }
            return NSClassFromString(name) != nil
        }
    }

    /// Whether the object of the archive, and the members of the collections that it consists of, are of some classes.
    ///
    /// What another object consists of is for its own class to say.
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

    /// The name of a class in archives; Foundation's function for it ends the process where a class is within another type.
    private static func name(of anyClass: AnyClass) -> String {
        let name = String(reflecting: anyClass)
        return name.hasPrefix("Foundation.") ? String(name.dropFirst("Foundation.".count)) : name
    }

    /// The name of an object's class and those of its superclasses.
    private func classes(of fields: [String: Value]) -> [String]? {
        guard case .uid(let number)? = fields["$class"], objects.indices.contains(number),
            case .dictionary(let description) = objects[number], case .array(let classes)? = description["$classes"]
        else { return nil }
        return classes.compactMap { if case .string(let name) = $0 { name } else { nil } }
    }
}
