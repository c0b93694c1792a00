public import Foundation
import StrataModel

extension NSManagedObjectModel {
    /// The version hash of each entity, by name; none where the model contradicts itself.
    public var entityVersionHashesByName: [String: Data] {
        (try? declared())?.entityVersionHashesByName.mapValues { Data($0) } ?? [:]
    }

    /// The digest of all version hashes, in base64; stores keep it, and stages of migrations name versions by it.
    ///
    /// Version hashes are Strata's own, and so are checksums: they differ from those that Xcode logs.
    public var versionChecksum: String { VersionDigest.checksum(entityVersionHashesByName) }

    /// Returns the checksum of each version of a model, by the name of the version.
    ///
    /// - Throws: An `NSError` where the model cannot be read.
    public class func checksumsForVersionedModel(at modelURL: URL) throws -> [String: String] {
        try ModelReader.models(at: modelURL).mapValues { $0.versionChecksum }
    }

    /// Returns whether the entities of a configuration, all of them for `nil`, are those of a store's metadata.
    ///
    /// A store that Core Data itself wrote is compared by its columns, since its version hashes are Apple's.
    public func isConfiguration(withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]) -> Bool {
        if let foreign = ForeignMetadata(metadata) { return foreign.isMade(with: self, configuration: configuration) }
        guard let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data],
            let members = entities(forConfigurationName: configuration)
        else { return false }
        let names = Set(members.compactMap(\.name))
        return entityVersionHashesByName.filter { names.contains($0.key) } == stored
    }

    /// Returns the entities of the metadata of a store, in exactly these versions; `nil` if there are none.
    func entities(ofStoreMetadata metadata: [String: Any]) -> [NSEntityDescription]? {
        guard let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] else { return nil }
        if let foreign = ForeignMetadata(metadata) {
            return foreign.isMade(with: self) ? entities.filter { entity in entity.name.map { stored[$0] != nil } ?? false } : nil
        }
        let hashes = entityVersionHashesByName
        return entities.filter { entity in entity.name.map { stored[$0] != nil && stored[$0] == hashes[$0] } ?? false }
    }
}

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
