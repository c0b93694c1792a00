/// The bytes of `Codable` values: JSON, and the property lists of earlier versions, which are told apart by their first byte.
///
/// Foundation's encoder of property lists has a text as its mark of nil, "$null", and makes one of texts that are equal
/// without being the same: neither is read as it was.
enum CodableForm {
    private static let propertyListMark = Data("bplist00".utf8)
    // No text that a program has: types that try a number before a text would read it as one. Foundation compares it before
    // it replaces escapes, so that it has none.
    private static let (infinity, negativeInfinity, notANumber) = ("\u{FFFF}Infinity", "\u{FFFF}-Infinity", "\u{FFFF}NaN")

    /// The maximum nesting of a property list, as of Foundation's JSON: one may reference itself.
    private static let greatestNesting = 512

    // A coder is made once: it has no state of a value, and any thread may use it.
    private static let encoder = jsonEncoder(infinity, negativeInfinity, notANumber)
    /// An encoder of the same form but for infinities and NaN, so that it tells them from texts.
    private static let comparingEncoder = jsonEncoder("\u{FFFE}Infinity", "\u{FFFE}-Infinity", "\u{FFFE}NaN")
    private static let decoder = {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: infinity, negativeInfinity: negativeInfinity, nan: notANumber)
        return decoder
    }()
    private static let propertyListEncoder = {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return encoder
    }()

    private static func jsonEncoder(_ infinity: String, _ negativeInfinity: String, _ notANumber: String) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: infinity, negativeInfinity: negativeInfinity, nan: notANumber)
        return encoder
    }

    /// Returns a value as JSON; as a property list where JSON would be read as another one: of a decimal number that is
    /// NaN, which JSON has none for, and of a text that is the form of a number, where the type tries a number first.
    static func document<T: Codable>(_ value: T) throws -> Data {
        let bytes = try encoder.encode(value)
        guard mayBeMisread(bytes) else { return bytes }
        guard let read = try? self.value(T.self, in: bytes) else { return try propertyList(value) }
        if isSame(read, value) { return bytes }
        guard let list = try? propertyList(value), let listed = try? self.value(T.self, in: list), isSame(listed, value)
        else { return bytes }
        return list
    }

    private static func isSame<T: Encodable>(_ a: T, _ b: T) -> Bool {
        (try? comparingEncoder.encode(a)) == (try? comparingEncoder.encode(b))
    }

    /// Returns whether JSON may have the word `NaN`, which `JSONEncoder` writes for a decimal number and no decoder of JSON
    /// reads, or U+FFFF, with which the texts of numbers begin.
    private static func mayBeMisread(_ json: Data) -> Bool {
        unsafe json.withUnsafeBytes { bytes in
            var index = 0
            while index + 2 < bytes.count {
                if unsafe bytes[index] == UInt8(ascii: "N"), unsafe bytes[index + 2] == UInt8(ascii: "N") {
                    if unsafe index == 0 || ":[,".utf8.contains(bytes[index - 1]) { return true }
                }
                if unsafe bytes[index] == 0xEF, unsafe bytes[index + 1] == 0xBF, unsafe bytes[index + 2] == 0xBF { return true }
                index += 1
            }
            return false
        }
    }

    /// Returns a value as earlier versions stored it.
    static func propertyList<T: Encodable>(_ value: T) throws -> Data { try propertyListEncoder.encode([value]) }

    /// Returns the value of either form.
    static func value<T: Decodable>(_ type: T.Type, in bytes: Data) throws -> T {
        if bytes.starts(with: propertyListMark) {
            _ = try unsafe bytes.withUnsafeBytes { try unsafe BinaryPropertyList.value($0, nesting: greatestNesting) }
            guard let value = try PropertyListDecoder().decode([T].self, from: bytes).first else {
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no value in the property list"))
            }
            return value
        }
        return try decoder.decode(type, from: bytes)
    }

    /// Returns the JSON of an enumeration's raw value; `nil` for a type whose raw values are of another kind.
    static func document<T: Codable>(rawValue value: Value, of type: T.Type) -> Data? {
        (type as? any RawRepresentable.Type).flatMap { document(value, $0) }
    }

    private static func document<R: RawRepresentable>(_ value: Value, _: R.Type) -> Data? {
        guard let rawType = R.RawValue.self as? any ValueConvertible.Type, let raw = rawType.init(value: value) as? R.RawValue else {
            return nil
        }
        let found = R(rawValue: raw) as? any Codable ?? raw as? any Codable
        return found.flatMap { try? document($0) }
    }
}
