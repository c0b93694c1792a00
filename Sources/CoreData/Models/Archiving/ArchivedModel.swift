import StrataModel
import StrataQuery

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
        let byName = NSManagedObjectModel.byName(made)
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

/// The archived form of a fetch request.
struct ArchivedRequest: Codable {
    var entityName: String?
    var predicate: QueryPredicate?
    var sort: [QuerySort]?
    var limit: Int
    var offset: Int
    var batchSize: Int
    var resultType: UInt
    var includesSubentities: Bool
    var includesPropertyValues: Bool
    var includesPendingChanges: Bool
    var returnsObjectsAsFaults: Bool
    var returnsDistinctResults: Bool
    var prefetchedPaths: [String]?
    /// The names of the properties in dictionary results; computed ones are left out.
    var properties: [String]?

    init<Result>(_ request: NSFetchRequest<Result>) {
        entityName = request.entityName
        predicate = try? request.predicate?.tree()
        sort = request.sortDescriptors?.compactMap { try? $0.querySort() }
        limit = request.fetchLimit
        offset = request.fetchOffset
        batchSize = request.fetchBatchSize
        resultType = request.resultType.rawValue
        includesSubentities = request.includesSubentities
        includesPropertyValues = request.includesPropertyValues
        includesPendingChanges = request.includesPendingChanges
        returnsObjectsAsFaults = request.returnsObjectsAsFaults
        returnsDistinctResults = request.returnsDistinctResults
        prefetchedPaths = request.relationshipKeyPathsForPrefetching
        properties = request.propertiesToFetch?.compactMap { property in
            property is NSExpressionDescription ? nil : property as? String ?? (property as? NSPropertyDescription)?.name
        }
    }

    var request: NSFetchRequest<any NSFetchRequestResult> {
        let request = entityName.map { NSFetchRequest<any NSFetchRequestResult>(entityName: $0) } ?? NSFetchRequest()
        request.predicate = predicate.map { NSPredicate.make($0) }
        request.sortDescriptors = sort?.map { NSSortDescriptor.make($0) }
        request.fetchLimit = limit
        request.fetchOffset = offset
        request.fetchBatchSize = batchSize
        request.resultType = NSFetchRequestResultType(rawValue: resultType)
        request.includesSubentities = includesSubentities
        request.includesPropertyValues = includesPropertyValues
        request.includesPendingChanges = includesPendingChanges
        request.returnsObjectsAsFaults = returnsObjectsAsFaults
        request.returnsDistinctResults = returnsDistinctResults
        request.relationshipKeyPathsForPrefetching = prefetchedPaths
        request.propertiesToFetch = properties
        return request
    }
}

/// The archived form of a value that a description holds for an application.
enum ArchivedValue: Codable {
    case flag(Bool)
    case integer(Int64)
    case number(Double)
    case decimal(String)
    case text(String)
    case date(Date)
    case data(Data)
    case uuid(UUID)
    case url(String)
    case list([ArchivedValue])
    case dictionary([String: ArchivedValue])

    /// `nil` for values of other types.
    init?(_ any: Any) {
        if let keyed = any as? any KeyedValues {
            guard let dictionary = keyed as? [AnyHashable: Any] else { return nil }
            self = .dictionary(ArchivedValue.members(of: dictionary))
        } else if let value = Operand.scalar(any) {
            self.init(value)
        } else if let elements = Operand.elements(of: any) {
            self = .list(elements.compactMap { ArchivedValue($0) })
        } else {
            return nil
        }
    }

    private init?(_ value: Value) {
        switch value {
        case .bool(let flag): self = .flag(flag)
        case .int(let number): self = .integer(number)
        case .double(let number): self = .number(number)
        case .decimal(let number): self = .decimal(number.description)
        case .string(let text): self = .text(text)
        case .date(let date): self = .date(date)
        case .data(let data): self = .data(data)
        case .uuid(let uuid): self = .uuid(uuid)
        case .url(let url): self = .url(url.absoluteString)
        case .list(let values): self = .list(values.compactMap { ArchivedValue($0) })
        case .null, .objectID: return nil
        }
    }

    /// Returns the members of a dictionary with texts as keys.
    static func members(of dictionary: [AnyHashable: Any]) -> [String: ArchivedValue] {
        var members: [String: ArchivedValue] = [:]
        for (key, value) in dictionary { if let key = key as? String { members[key] = ArchivedValue(value) } }
        return members
    }

    /// The value as of key-value coding.
    var any: Any {
        switch self {
        case .flag(let flag): NSNumber(value: flag)
        case .integer(let number): NSNumber(value: number)
        case .number(let number): NSNumber(value: number)
        case .decimal(let text): NSDecimalNumber(string: text)
        case .text(let text): text
        case .date(let date): date
        case .data(let data): data
        case .uuid(let uuid): uuid
        case .url(let text): URL(string: text) ?? text
        case .list(let values): values.map(\.any)
        case .dictionary(let members): members.mapValues(\.any)
        }
    }
}
