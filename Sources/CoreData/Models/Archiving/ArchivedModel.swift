import Foundation

/// The archived form of a model.
///
/// Archives of Apple's systems have another format and cannot be read, nor can these there. Conditions without a text,
/// such as closures, and values in a `userInfo` of types other than a property list's are left out.
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

    /// Fills an empty model with the archived one.
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

    /// Decodes a description; `nil`, with an error of the coder, if there is none.
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
