import Foundation

/// A model as archives hold it.
///
/// Archives of Apple's systems hold other things, and cannot be read, nor can these there. What has no text, as a condition that is a closure,
/// and what is none of a property list's types in a `userInfo`, is left out.
struct ArchivedModel: Codable {
    var entities: [ArchivedEntity]
    var configurations: [String: [String]]
    var templates: [String: ArchivedRequest]
    var versionIdentifiers: [String]
    var localizations: [String: String]?

    init(_ model: NSManagedObjectModel) {
        entities = model.entities.map { ArchivedEntity($0) }
        configurations = model.entitiesByConfiguration.mapValues { $0.compactMap(\.name) }
        templates = model.templates.mapValues { ArchivedRequest($0) }
        versionIdentifiers = model.versionIdentifiers.compactMap { $0 as? String }.sorted()
        localizations = model.localizationDictionary
    }

    /// Has an empty model be the one that was archived.
    func fill(_ model: NSManagedObjectModel) {
        let made = entities.map { archived in
            let entity = NSEntityDescription()
            archived.fill(entity)
            return entity
        }
        let byName = Dictionary(made.map { ($0.name ?? "", $0) }) { first, _ in first }
        for (archived, entity) in zip(entities, made) { entity.subentities = archived.subentities.compactMap { byName[$0] } }
        for (archived, entity) in zip(entities, made) { archived.connect(entity, byName) }
        model.entities = made
        for (name, members) in configurations { model.setEntities(members.compactMap { byName[$0] }, forConfigurationName: name) }
        for (name, template) in templates { model.setFetchRequestTemplate(template.request, forName: name) }
        model.versionIdentifiers = Set(versionIdentifiers)
        model.localizationDictionary = localizations
    }
}

extension NSCoder {
    private static let descriptionKey = "StrataDescription"

    /// Encodes a description, or fails.
    func encodeDescription(_ description: some Encodable) {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        do { encode(NSData(data: try encoder.encode(description)), forKey: NSCoder.descriptionKey) } catch { failWithError(error) }
    }

    /// The description that was encoded; `nil`, with an error of the coder's, where there is none.
    func decodeDescription<Description: Decodable>(_ type: Description.Type = Description.self) -> Description? {
        do {
            guard let data = decodeObject(of: NSData.self, forKey: NSCoder.descriptionKey) else { throw CocoaError(.coderValueNotFound) }
            return try PropertyListDecoder().decode(type, from: Data(referencing: data))
        } catch {
            failWithError(error)
            return nil
        }
    }
}
