import StrataModel
import StrataStore

extension NSManagedObjectModel {
    /// The digest of all version hashes, in base64; Xcode logs it, and stages of migrations name versions by it.
    public var versionChecksum: String {
        Data(VersionHash.checksum(of: entityVersionHashesByName.mapValues { Array($0) })).base64EncodedString()
    }

    /// Returns the checksum of each version of a model, by the name of the version.
    ///
    /// - Throws: An `NSError` where the model cannot be read.
    public class func checksumsForVersionedModel(at modelURL: URL) throws -> [String: String] {
        try ModelReader.models(at: modelURL).mapValues { $0.versionChecksum }
    }

    /// Returns whether the entities of a configuration, all of them for `nil`, are those of a store's metadata.
    public func isConfiguration(withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]) -> Bool {
        guard let stored = StoreInformation.versions(in: metadata), !stored.isUnversioned else { return false }
        // Most versions of a model are told apart by their entities, without hashes; Core Data's stores hold the whole model.
        let configuration = openedConfiguration(configuration)
        let members = configuration == nil ? entityNames : entities(forConfigurationName: configuration).map { Set($0.compactMap(\.name)) }
        guard let names = members else { return false }
        let holdsMore = configuration != nil && (stored.isForeign || stored.holdsWholeModel)
        guard names.isSubset(of: stored.versionHashes.keys), holdsMore || names.count == stored.versionHashes.count else { return false }
        let hashes = entityVersionHashesByName
        if stored.versionHashes.allSatisfy({ hashes[$0].map { Array($0) } == $1 }) {
            return stored.isForeign || stored.isLaidOut(as: layoutHashes)
        }
        guard stored.hasEarlierHashes, let model = try? declared() else { return false }
        return stored.isCompatible(with: model, configuration: configuration)
    }

    /// Returns the entities of the metadata of a store, in exactly these versions; `nil` if there are none.
    func entities(ofStoreMetadata metadata: [String: Any]) -> [NSEntityDescription]? {
        guard let stored = StoreInformation.versions(in: metadata)?.versionHashes else { return nil }
        var versions = [entityVersionHashesByName.mapValues { Array($0) }]
        // A store of an earlier version of Strata has the hashes of the declarations.
        if !stored.allSatisfy({ versions[0][$0] == $1 }), let model = try? declared() { versions.append(model.declarationHashesByName) }
        return entities.filter { entity in
            entity.name.map { name in stored[name] != nil && versions.contains { $0[name] == stored[name] } } ?? false
        }
    }

    /// Creates one model of several, which may share entities, and relationships reference entities of others by name.
    ///
    /// Traps if two models have different entities of one name. `nil` for no models.
    public convenience init?(byMerging models: [NSManagedObjectModel]?) {
        guard let models, !models.isEmpty else { return nil }
        self.init()
        merge(models) { $0.entities }
    }

    /// Creates a model of those entities of several models that are in a store's metadata; `nil` if some are missing.
    public convenience init?(byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]) {
        guard let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] else { return nil }
        self.init()
        merge(models) { $0.entities(ofStoreMetadata: metadata) ?? [] }
        guard Set(entities.compactMap(\.name)) == Set(stored.keys) else { return nil }
    }

    /// Returns one model of all models in some bundles, of those of the whole program for `nil`.
    ///
    /// A model is a `.momd`, `.mom`, `.xcdatamodeld` or `.xcdatamodel` among a bundle's resources; one that cannot be
    /// read is skipped, which is logged on standard error. `nil` if there is no model. Traps if two have different
    /// entities of one name.
    public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        NSManagedObjectModel(byMerging: ModelLocator.models(in: bundles).compactMap { NSManagedObjectModel(contentsOf: $0) })
    }

    /// Returns one model of those entities in some bundles that are in a store's metadata, in these versions.
    ///
    /// `nil` if some are missing.
    public class func mergedModel(from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]) -> NSManagedObjectModel? {
        NSManagedObjectModel(byMerging: ModelLocator.versions(in: bundles, forStoreMetadata: metadata), forStoreMetadata: metadata)
    }

    private func merge(_ models: [NSManagedObjectModel], _ members: (NSManagedObjectModel) -> [NSEntityDescription]) {
        var kept: [String: (entity: NSEntityDescription, hash: Data)] = [:]
        var entities: [NSEntityDescription] = []
        for model in models {
            let hashes = model.entityVersionHashesByName
            for entity in members(model) {
                guard let name = entity.name else { continue }
                let hash = hashes[name] ?? Data()
                if let known = kept[name] {
                    if known.hash != hash { programmerError("Can't merge models with two different entities named '\(name)'") }
                } else {
                    kept[name] = (entity, hash)
                    entities.append(entity)
                }
            }
        }
        var configurations: [String: [NSEntityDescription]] = [:]
        for model in models {
            for (name, members) in model.entitiesByConfiguration { configurations[name, default: []] += members }
        }
        fill(with: ModelCopier.copies(of: entities), configurations: configurations)
        for model in models {
            for (name, template) in model.templates { setFetchRequestTemplate(template, forName: name) }
        }
        versionIdentifiers = models.reduce(into: []) { $0.formUnion($1.versionIdentifiers) }
    }
}
