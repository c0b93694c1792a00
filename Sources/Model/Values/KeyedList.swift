import FoundationEssentials

/// Lists of single values as SwiftData stores arrays: Foundation's keyed archive of an `NSArray`.
///
/// Such an archive is a binary property list whose `$objects` reference each other by their numbers.
enum KeyedList {
    /// Returns the archive of a list; `nil` where an element is of a kind that is not supported.
    static func bytes(of values: [Value]) -> Data? {
        var objects: [ListedObject] = [.text("$null"), .null, .dictionary(classNamed("NSArray"))]
        var classes: [String: Int] = [:]
        func number(ofClass name: String) -> Int {
            if let known = classes[name] { return known }
            classes[name] = objects.count
            objects.append(.dictionary(classNamed(name)))
            return objects.count - 1
        }
        func add(_ name: String, _ fields: [String: ListedObject]) -> Int {
            let number = number(ofClass: name)
            objects.append(.dictionary(fields.merging(["$class": .reference(number)]) { $1 }))
            return objects.count - 1
        }
        func add(_ leaf: ListedObject) -> Int {
            objects.append(leaf)
            return objects.count - 1
        }
        var members: [ListedObject] = []
        for value in values {
            switch value {
            case .string(let text): members.append(.reference(add(.text(text))))
            case .int(let integer): members.append(.reference(add(.integer(integer))))
            case .double(let number): members.append(.reference(add(.real(number))))
            case .bool(let flag): members.append(.reference(add(.flag(flag))))
            case .date(let date): members.append(.reference(add("NSDate", ["NS.time": .real(date.timeIntervalSinceReferenceDate)])))
            case .uuid(let id):
                let bytes = unsafe withUnsafeBytes(of: id.uuid) { unsafe Data($0) }
                members.append(.reference(add("NSUUID", ["NS.uuidbytes": .bytes(bytes)])))
            case .url(let url):
                let text = add(.text(url.absoluteString))
                members.append(.reference(add("NSURL", ["NS.base": .reference(0), "NS.relative": .reference(text)])))
            default: return nil
            }
        }
        objects[1] = .dictionary(["$class": .reference(2), "NS.objects": .list(members)])
        return ListedObject.dictionary([
            "$archiver": .text("NSKeyedArchiver"), "$version": .integer(100_000), "$top": .dictionary(["root": .reference(1)]),
            "$objects": .list(objects),
        ]).propertyList
    }

    private static func classNamed(_ name: String) -> [String: ListedObject] {
        ["$classname": .text(name), "$classes": .list([.text(name), .text("NSObject")])]
    }

    /// Returns the list in an archive; `nil` where the bytes are no such archive.
    static func values(in bytes: Data) -> [Value]? {
        guard case .dictionary(let archive)? = ListedObject(propertyList: bytes), case .list(let objects)? = archive["$objects"],
            case .dictionary(let top)? = archive["$top"]
        else { return nil }
        func object(_ reference: ListedObject?) -> ListedObject? {
            guard case .reference(let number)? = reference, objects.indices.contains(number) else { return nil }
            return objects[number]
        }
        guard case .dictionary(let root)? = object(top["root"]), case .list(let members)? = root["NS.objects"] else { return nil }
        var values: [Value] = []
        for member in members {
            switch object(member) {
            case .text(let text)?: values.append(.string(text))
            case .integer(let integer)?: values.append(.int(integer))
            case .real(let number)?: values.append(.double(number))
            case .flag(let flag)?: values.append(.bool(flag))
            case .dictionary(let fields)?:
                if case .real(let time)? = fields["NS.time"] {
                    values.append(.date(Date(timeIntervalSinceReferenceDate: time)))
                } else if case .bytes(let bytes)? = fields["NS.uuidbytes"], let id = UUID(sixteen: bytes) {
                    values.append(.uuid(id))
                } else if case .text(let text)? = object(fields["NS.relative"]), let url = URL(string: text) {
                    values.append(.url(url))
                } else if case .text(let text)? = fields["NS.string"] ?? object(fields["NS.string"]) {
                    values.append(.string(text))
                } else {
                    return nil
                }
            default: return nil
            }
        }
        return values
    }
}

extension UUID {
    fileprivate init?(sixteen bytes: Data) {
        guard bytes.count == 16 else { return nil }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        unsafe withUnsafeMutableBytes(of: &uuid) { unsafe $0.copyBytes(from: bytes) }
        self.init(uuid: uuid)
    }
}

/// An array type that may be stored as ``KeyedList``.
protocol KeyedListConvertible {
    /// Whether the elements are single values whose form in an archive is known.
    static var isListed: Bool { get }
    /// The archive; `nil` for an array that is stored in another way.
    var archive: Data? { get }
    init?(listedValues: [Value])
}

extension Array: KeyedListConvertible where Element: ValueConvertible {
    /// Enumerations, decimal numbers and bytes are not: their form in an archive was not seen.
    static var isListed: Bool {
        ![.decimal, .binary, .undefined].contains(Element.attributeType) && !(Element.self is any RawRepresentable.Type)
    }

    var archive: Data? { Self.isListed ? KeyedList.bytes(of: map(\.value)) : nil }

    init?(listedValues: [Value]) {
        let values = listedValues.compactMap { Element(value: $0) }
        guard values.count == listedValues.count else { return nil }
        self = values
    }
}
