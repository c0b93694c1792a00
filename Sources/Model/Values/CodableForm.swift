/// The bytes of `Codable` values: JSON, and the property lists of earlier versions, which are told apart by their first byte.
///
/// Foundation's encoder of property lists has a text as its mark of nil, "$null", and makes one of texts that are equal
/// without being the same: neither is read as it was.
enum CodableForm {
    private static let propertyListMark = Data("bplist00".utf8)
    // No text that a program has: types that try a number before a text would read it as one. Foundation compares it before
    // it replaces escapes, so that it has none.
    private static let (infinity, negativeInfinity, notANumber) = ("\u{FFFF}Infinity", "\u{FFFF}-Infinity", "\u{FFFF}NaN")

    /// Returns a value as JSON; as a property list where it has a decimal number that is NaN, which JSON has none for.
    static func document<T: Codable>(_ value: T) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: infinity, negativeInfinity: negativeInfinity, nan: notANumber)
        let bytes = try encoder.encode(value)
        guard mayHaveNaN(bytes), (try? self.value(T.self, in: bytes)) == nil else { return bytes }
        return try propertyList(value)
    }

    /// Returns whether JSON may have the word `NaN`, which `JSONEncoder` writes for a decimal number and no decoder of JSON reads.
    private static func mayHaveNaN(_ json: Data) -> Bool {
        unsafe json.withUnsafeBytes { bytes in
            var index = 0
            while index + 2 < bytes.count {
                if unsafe bytes[index] == UInt8(ascii: "N"), unsafe bytes[index + 2] == UInt8(ascii: "N") {
                    if unsafe index == 0 || ":[,".utf8.contains(bytes[index - 1]) { return true }
                }
                index += 1
            }
            return false
        }
    }

    /// Returns a value as earlier versions stored it.
    static func propertyList<T: Encodable>(_ value: T) throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try encoder.encode([value])
    }

    /// Returns the value of either form.
    static func value<T: Decodable>(_ type: T.Type, in bytes: Data) throws -> T {
        if bytes.starts(with: propertyListMark) {
            guard let value = try PropertyListDecoder().decode([T].self, from: bytes).first else {
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no value in the property list"))
            }
            return value
        }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: infinity, negativeInfinity: negativeInfinity, nan: notANumber)
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
