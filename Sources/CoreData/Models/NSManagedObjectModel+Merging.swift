public import Foundation
import StrataModel

extension NSManagedObjectModel {
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
        let models = ModelLocator.models(in: bundles).flatMap { (try? ModelReader.models(at: $0)).map { Array($0.values) } ?? [] }
        return NSManagedObjectModel(byMerging: models, forStoreMetadata: metadata)
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
