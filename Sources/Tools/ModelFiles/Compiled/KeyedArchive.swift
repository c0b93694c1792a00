/// The objects of a keyed archive, referenced by number; no class of the archive is instantiated.
struct KeyedArchive {
    typealias Value = BinaryPropertyList.Value
    private let objects: [Value]
    private let top: Value

    /// - Throws: ``ModelFileError`` if the bytes are no archive, or exceed the limits.
    init(_ bytes: [UInt8], limits: ModelFileLimits) throws(ModelFileError) {
        guard bytes.count <= limits.bytes else {
            throw ModelFileError(.limitExceeded, "the archive has \(bytes.count) bytes; \(limits.bytes) are allowed")
        }
        guard let list = BinaryPropertyList.value(in: bytes, nesting: limits.nesting, values: limits.elements * 16) else {
            throw ModelFileError(.malformedArchive, "the bytes are no binary property list")
        }
        guard case .dictionary(let archive) = list, case .array(let objects)? = archive["$objects"],
            case .dictionary(let top)? = archive["$top"], let root = top["root"]
        else { throw ModelFileError(.malformedArchive, "the property list is no keyed archive") }
        guard objects.count <= limits.elements else {
            throw ModelFileError(.limitExceeded, "the archive has more than \(limits.elements) objects")
        }
        self.objects = objects
        self.top = root
    }

    /// The archived object; `nil` for a plain value.
    var root: Object? { object(top) }

    func root(ofClass name: String) throws(ModelFileError) -> Object {
        guard let object = root else { throw ModelFileError(.malformedArchive, "the archive has no root") }
        return try object.of(name, "the root")
    }

    /// Resolves a value: a reference is followed once, and the archive's nil is `nil`.
    func resolve(_ value: Value?) -> Value? {
        guard case .uid(let number)? = value else { return value }
        guard objects.indices.contains(number), objects[number] != .string("$null") else { return nil }
        return objects[number]
    }

    fileprivate func object(_ value: Value?) -> Object? {
        guard case .dictionary(let fields)? = resolve(value) else { return nil }
        var className: String?
        if case .dictionary(let description)? = resolve(fields["$class"]), case .string(let name)? = description["$classname"] {
            className = name
        }
        return Object(archive: self, fields: fields, className: className)
    }
}

extension KeyedArchive {
    /// An object of an archive: its fields, and the name of its class.
    struct Object {
        let archive: KeyedArchive
        fileprivate let fields: [String: Value]
        let className: String?

        /// Returns the object, which must have the class.
        func of(_ name: String, _ what: @autoclosure () -> String) throws(ModelFileError) -> Object {
            guard className == name else {
                throw ModelFileError(.unexpectedClass, "\(what()) is of the class \(className ?? "of no name") and not \(name)")
            }
            return self
        }

        func value(_ key: String) -> Value? { archive.resolve(fields[key]) }

        func object(_ key: String) -> Object? { archive.object(fields[key]) }

        func string(_ key: String) -> String? { archive.string(fields[key]) }

        func flag(_ key: String) -> Bool {
            switch value(key) {
            case .bool(let flag)?: flag
            case .int(let number)?: number != 0
            default: false
            }
        }

        func int(_ key: String) -> Int? {
            guard case .int(let number)? = value(key) else { return nil }
            return Int(exactly: number)
        }

        /// Returns the elements of an array, or of a set.
        func list(_ key: String) -> [Value] { object(key)?.members ?? [] }

        func objects(_ key: String) -> [Object] { list(key).compactMap { archive.object($0) } }

        func strings(_ key: String) -> [String] { list(key).compactMap { archive.string($0) } }

        /// Returns the elements of an array of arrays.
        func lists(_ key: String) -> [[Value]] { objects(key).map(\.members) }

        func string(of value: Value) -> String? { archive.string(value) }

        func object(of value: Value) -> Object? { archive.object(value) }

        /// Returns the object under the first key, in key order, whose class name has a suffix.
        func object(ofClassEndingIn suffix: String) -> Object? {
            keys.lazy.compactMap { object($0) }.first { $0.className?.hasSuffix(suffix) == true }
        }

        /// Returns the array under the first key, in key order, whose members' class names have a suffix.
        func objects(ofClassesEndingIn suffix: String) -> [Object] {
            keys.lazy.map { objects($0) }.first { !$0.isEmpty && $0.allSatisfy { $0.className?.hasSuffix(suffix) == true } } ?? []
        }

        private var keys: [String] { fields.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }

        /// The elements of the object, which is an array or a set.
        var members: [Value] {
            if case .array(let values)? = fields["NS.objects"] { return values }
            var values: [Value] = []
            while let value = fields["NS.object.\(values.count)"] { values.append(value) }
            return values
        }

        /// Returns the pairs of a dictionary with texts as keys, in the order of the archive.
        func pairs(_ key: String) -> [(key: String, value: Value)] { object(key)?.ownPairs ?? [] }

        /// The pairs of the object, which is a dictionary.
        var ownPairs: [(key: String, value: Value)] {
            if let mapping = object("searchMapping") { return zip(mapping.strings("keys"), list("values")).map { ($0, $1) } }
            guard case .array(let keys)? = fields["NS.keys"] else { return [] }
            return zip(keys, members).compactMap { key, value in archive.string(key).map { ($0, value) } }
        }
    }

    fileprivate func string(_ value: Value?) -> String? {
        switch resolve(value) {
        case .string(let text)?: text
        case .dictionary(let fields)?: if case .string(let text)? = resolve(fields["NS.string"]) { text } else { nil }
        default: nil
        }
    }
}
