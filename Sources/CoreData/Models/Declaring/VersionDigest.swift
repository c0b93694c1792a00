import Foundation
import StrataModel

/// Digests that identify versions of properties and of models.
///
/// Those of entities are the compiled model's. The digested properties follow Core Data; the bytes are Strata's own.
enum VersionDigest {
    static func digest(of attribute: Attribute) -> Data {
        var parts = ["attribute", attribute.name, "\(attribute.type.rawValue)", "\(attribute.isOptional)", "\(attribute.isTransient)"]
        parts.append(attribute.versionHashModifier ?? "")
        return digest(parts + attribute.elements.map { digest(of: $0).base64EncodedString() })
    }

    static func digest(of relationship: Relationship) -> Data {
        var parts = ["relationship", relationship.name, relationship.destination, relationship.inverse ?? ""]
        parts += [relationship.isOptional, relationship.isTransient, relationship.cardinality == .ordered].map(String.init)
        parts += [relationship.minCount, relationship.maxCount].map(String.init)
        return digest(parts + [relationship.versionHashModifier ?? ""])
    }

    /// Returns the digest of a model: that of its entities' hashes in the order of their names, as in Core Data.
    static func checksum(_ hashes: [String: Data]) -> String {
        let sorted = hashes.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return Data(SHA2.digest256(sorted.flatMap { Array($0.value) })).base64EncodedString()
    }

    private static func digest(_ parts: [String]) -> Data {
        // Texts contain no NUL.
        Data(SHA2.digest256(Array(parts.joined(separator: "\u{0}").utf8)))
    }
}
