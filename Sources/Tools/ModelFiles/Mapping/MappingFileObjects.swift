/// The objects of a mapping model's file: a Core Data store in XML, with Xcode's objects.
struct MappingFileObjects {
    struct Object {
        let id: String
        let type: String
        let line: Int?
        fileprivate var texts: [String: String] = [:]
        fileprivate var references: [String: [String]] = [:]

        /// Returns the text of an attribute; `nil` for none, or an empty one.
        func text(_ name: String) -> String? { texts[name].flatMap { $0.isEmpty ? nil : $0 } }
        func flag(_ name: String) -> Bool { texts[name] == "1" }
    }

    private var byID: [String: Object] = [:]
    private var all: [Object] = []

    init(_ bytes: [UInt8], limits: ModelFileLimits) throws(ModelFileError) {
        var reader = try DocumentReader(bytes, limits: limits, allowsDocumentType: true)
        let root = try reader.document()
        guard root.name == "database" else {
            throw ModelFileError(.notAModel, element: root.name, line: root.line, "the file is no mapping model: its root is no database")
        }
        for element in root.children(named: "object") {
            guard let id = element["id"], let type = element["type"] else {
                throw ModelFileError(.missingAttribute, element: "object", line: element.line, "an object has no id, or no type")
            }
            var object = Object(id: id, type: type.uppercased(), line: element.line)
            for child in element.children {
                guard let name = child["name"]?.lowercased() else {
                    throw ModelFileError(.missingAttribute, element: "object \(id)/\(child.name)", line: child.line, "it has no name")
                }
                switch child.name {
                case "attribute": object.texts[name] = MappingFileObjects.unescaped(child.text)
                case "relationship": object.references[name] = (child["idrefs"] ?? "").split(separator: " ").map(String.init)
                default: break
                }
            }
            guard byID.updateValue(object, forKey: id) == nil else {
                throw ModelFileError(.invalidValue, element: "object \(id)", line: element.line, "two objects have the id \(id)")
            }
            all.append(object)
        }
    }

    func only(_ type: String) throws(ModelFileError) -> Object {
        let found = all.filter { $0.type == type }
        guard let first = found.first, found.count == 1 else {
            throw ModelFileError(.notAModel, "the file is no mapping model: it has \(found.count) objects of the type \(type)")
        }
        return first
    }

    func objects(_ owner: Object, _ name: String, of type: String) throws(ModelFileError) -> [Object] {
        var found: [Object] = []
        for id in owner.references[name] ?? [] {
            guard let object = byID[id], object.type == type else {
                throw ModelFileError(
                    .invalidValue, element: "object \(owner.id)/\(name)", line: owner.line, "there is no object \(id) of the type \(type)")
            }
            found.append(object)
        }
        return found
    }

    /// Resolves the escapes of Core Data's XML stores: `\u`, and a UTF-16 unit with swapped bytes.
    private static func unescaped(_ text: String) -> String {
        guard text.contains("\\u") else { return text }
        var units: [UInt16] = []
        var rest = Array(text.utf16)[...]
        while let unit = rest.popFirst() {
            let digits = rest.dropFirst().prefix(4)
            guard unit == 0x5C, rest.first == 0x75, digits.count == 4,
                let number = UInt16(String(decoding: digits, as: UTF16.self), radix: 16)
            else {
                units.append(unit)
                continue
            }
            units.append(number.byteSwapped)
            rest = rest.dropFirst(5)
        }
        return String(decoding: units, as: UTF16.self)
    }
}
