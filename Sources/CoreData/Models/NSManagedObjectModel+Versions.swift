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

    /// The checksum of each version of a model, by the name of the version.
    ///
    /// - Throws: An `NSError` where the model cannot be read.
    public class func checksumsForVersionedModel(at modelURL: URL) throws -> [String: String] {
        try ModelReader.models(at: modelURL).mapValues { $0.versionChecksum }
    }

    /// Whether the entities of a configuration, all of them for `nil`, are those that a store's metadata tells of.
    ///
    /// A store that Core Data itself wrote is looked at where its metadata were read: the version hashes there are not those of this module.
    public func isConfiguration(withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]) -> Bool {
        if let foreign = ForeignMetadata(metadata) { return foreign.isMade(with: self, configuration: configuration) }
        guard let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data],
            let members = entities(forConfigurationName: configuration)
        else { return false }
        let names = Set(members.compactMap(\.name))
        return entityVersionHashesByName.filter { names.contains($0.key) } == stored
    }

    /// The entities that the metadata of a store tells of, in just these versions; `nil` where it tells of none.
    func entities(ofStoreMetadata metadata: [String: Any]) -> [NSEntityDescription]? {
        guard let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] else { return nil }
        if let foreign = ForeignMetadata(metadata) {
            return foreign.isMade(with: self) ? entities.filter { entity in entity.name.map { stored[$0] != nil } ?? false } : nil
        }
        let hashes = entityVersionHashesByName
        return entities.filter { entity in entity.name.map { stored[$0] != nil && stored[$0] == hashes[$0] } ?? false }
    }
}
