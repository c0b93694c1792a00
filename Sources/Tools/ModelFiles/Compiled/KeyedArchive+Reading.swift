import FoundationEssentials
import StrataModel

extension KeyedArchive {
    /// - Throws: ``ModelFileError`` if the bytes are no archive, or exceed the limits.
    init(_ bytes: [UInt8], limits: ModelFileLimits) throws(ModelFileError) {
        guard bytes.count <= limits.bytes else {
            throw ModelFileError(.limitExceeded, "the archive has \(bytes.count) bytes; \(limits.bytes) are allowed")
        }
        guard let list = BinaryPropertyList.value(in: bytes, nesting: limits.nesting, values: limits.elements * 16) else {
            throw ModelFileError(.malformedArchive, "the bytes are no binary property list")
        }
        guard let archive = KeyedArchive(list) else { throw ModelFileError(.malformedArchive, "the property list is no keyed archive") }
        guard archive.objects.count <= limits.elements else {
            throw ModelFileError(.limitExceeded, "the archive has more than \(limits.elements) objects")
        }
        self = archive
    }

    func root(ofClass name: String) throws(ModelFileError) -> Object {
        guard let object = root else { throw ModelFileError(.malformedArchive, "the archive has no root") }
        return try object.of(name, "the root")
    }
}

extension KeyedArchive.Object {
    typealias Value = KeyedArchive.Value

    /// Returns the object, which must have the class.
    func of(_ name: String, _ what: @autoclosure () -> String) throws(ModelFileError) -> Self {
        guard className == name else {
            throw ModelFileError(.unexpectedClass, "\(what()) is of the class \(className ?? "of no name") and not \(name)")
        }
        return self
    }

    func object(_ key: String) -> Self? { archive.object(fields[key]) }

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

    /// Returns the attribute value under a key; `nil` for none, for a class that no attribute has, and for NaN.
    func constant(_ key: String) -> StrataModel.Value? { constant(of: fields[key]) }

    /// Returns the attribute value of a value of the archive, as ``constant(_:)``.
    func constant(of value: Value?) -> StrataModel.Value? {
        switch archive.constant(value) {
        case .double(let number)? where number.isNaN: nil
        case .date(let date)? where !date.timeIntervalSinceReferenceDate.isFinite: nil
        case let constant: constant
        }
    }

    /// Returns the elements of an array, or of a set.
    func list(_ key: String) -> [Value] { object(key)?.members ?? [] }

    func objects(_ key: String) -> [Self] { list(key).compactMap { archive.object($0) } }

    func strings(_ key: String) -> [String] { list(key).compactMap { archive.string($0) } }

    /// Returns the elements of an array of arrays.
    func lists(_ key: String) -> [[Value]] { objects(key).map(\.members) }

    func string(of value: Value) -> String? { archive.string(value) }

    func object(of value: Value) -> Self? { archive.object(value) }

    /// Returns the object under the first key, in key order, whose class name has a suffix.
    func object(ofClassEndingIn suffix: String) -> Self? {
        keys.lazy.compactMap { object($0) }.first { $0.className?.hasSuffix(suffix) == true }
    }

    /// Returns the array under the first key, in key order, whose members' class names have a suffix.
    func objects(ofClassesEndingIn suffix: String) -> [Self] {
        keys.lazy.map { objects($0) }.first { !$0.isEmpty && $0.allSatisfy { $0.className?.hasSuffix(suffix) == true } } ?? []
    }

    private var keys: [String] { fields.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }

    /// Returns the pairs of a dictionary with texts as keys, in the order of the archive.
    func pairs(_ key: String) -> [(key: String, value: Value)] { object(key)?.ownPairs ?? [] }

    /// The pairs of the object, which is a dictionary.
    var ownPairs: [(key: String, value: Value)] {
        if let mapping = object("searchMapping") { return zip(mapping.strings("keys"), list("values")).map { ($0, $1) } }
        guard case .array(let keys)? = fields["NS.keys"] else { return [] }
        return zip(keys, members).compactMap { key, value in archive.string(key).map { ($0, value) } }
    }
}
