/// The parts of an object ID's URI.
public struct ObjectURI: Sendable, Hashable {
    /// The ID of the store.
    public let storeID: StoreID
    /// The name of the entity.
    public let entityName: String
    /// The reference of the row.
    public let reference: Int64

    /// Takes `x-coredata://<store UUID>/<Entity>/p<reference>` apart.
    ///
    /// - Returns: `nil` when the text is no URI of a permanent ID.
    public init?(_ uri: String) {
        let prefix = "x-coredata://"
        guard uri.hasPrefix(prefix) else { return nil }
        let parts = uri.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[2].first == "p",
            let name = PercentEncoding.decode(String(parts[1])), !name.isEmpty,
            parts[2].dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let reference = Int64(parts[2].dropFirst()), reference > 0
        else { return nil }
        storeID = StoreID(String(parts[0]))
        entityName = name
        self.reference = reference
    }
}

extension ObjectID {
    /// Creates the ID that a URI spells, be it permanent or temporary.
    ///
    /// - Returns: `nil` when the text is no URI of an ID, or the model has no such entity.
    public init?(uriRepresentation uri: String, in model: ManagedObjectModel) {
        if let parts = ObjectURI(uri), let entity = model.entity(named: parts.entityName) {
            self.init(scope: ObjectIDScope(storeID: parts.storeID, entity: entity), reference: parts.reference)
            return
        }
        let prefix = "x-coredata:///"
        guard uri.hasPrefix(prefix) else { return nil }
        let parts = uri.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].first == "t", let number = UInt64(parts[1].dropFirst()), number < 1 << 63,
            let name = PercentEncoding.decode(String(parts[0])), let entity = model.entity(named: name)
        else { return nil }
        self.init(scope: ObjectIDScope(storeID: nil, entity: entity), reference: Int64.min + Int64(number))
    }
}

/// Percent-encoding of an entity's name as a path component of a URI.
enum PercentEncoding {
    static func encode(_ name: String) -> String {
        var out = ""
        for byte in name.utf8 {
            let scalar = Unicode.Scalar(byte)
            if scalar.properties.isAlphabetic && byte < 0x80 || (0x30...0x39).contains(byte) || "-._~".utf8.contains(byte) {
                out.unicodeScalars.append(scalar)
            } else {
                let hex = String(byte, radix: 16, uppercase: true)
                out += "%" + (hex.utf8.count == 1 ? "0" + hex : hex)
            }
        }
        return out
    }

    static func decode(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? { Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) } }
}
