/// Lists of single values as SwiftData stores arrays: Foundation's keyed archive of an `NSArray`.
enum KeyedList {
    /// Returns the archive of a list; `nil` where an element is of a kind that is not supported.
    static func bytes(of values: [Value]) -> Data? {
        var archiver = KeyedArchiver()
        let root = archiver.reserve()
        // Its class precedes its members, and texts are repeated: conditions compare bytes, so that these may not change.
        archiver.define(root, "NSArray", [:])
        var members: [KeyedArchiver.Object] = []
        for value in values {
            switch value {
            case .string(let text): members.append(archiver.add(plain: .string(text)))
            case .int, .double, .bool, .date, .uuid, .url: if let member = archiver.add(value) { members.append(member) }
            default: return nil
            }
        }
        archiver.define(root, "NSArray", ["NS.objects": .array(members)])
        return Data(archiver.bytes())
    }

    /// Returns the list in an archive; `nil` where the bytes are no such archive.
    static func values(in bytes: Data) -> [Value]? {
        guard let list = BinaryPropertyList.value(in: Array(bytes), nesting: 8), let archive = KeyedArchive(list), let root = archive.root,
            case .array(let members)? = root.fields["NS.objects"]
        else { return nil }
        let values = members.compactMap { archive.constant($0) }
        return values.count == members.count ? values : nil
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
