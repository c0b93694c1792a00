import CoreData

/// What a store of dictionaries talks to: records by their entities and keys.
final class DictionaryService: @unchecked Sendable {
    var records: [String: [String: [String: Any]]] = [:]
    var keys = 0
    /// The conditions of the fetches that it answered.
    var conditions: [String] = []
    /// What it answers next, in the place of anything else.
    var failure: NSError?
}

/// An incremental store over a service in memory, which its options name.
final class DictionaryStore: NSIncrementalStore, @unchecked Sendable {
    static let storeType = "DictionaryStore"
    private var service: DictionaryService { options?["service"] as? DictionaryService ?? DictionaryService() }

    override func loadMetadata() throws {
        metadata = [NSStoreTypeKey: DictionaryStore.storeType, NSStoreUUIDKey: "8A1D1C0E-0C5B-4E0B-9E0E-2B1C1F1E6D11"]
    }

    private func key(_ id: NSManagedObjectID) -> String { referenceObject(for: id) as? String ?? "" }

    private func record(_ id: NSManagedObjectID) -> [String: Any]? { service.records[id.entity.name ?? ""]?[key(id)] }

    private func ids(_ names: Any?) -> [NSManagedObjectID] {
        (names as? [[String]] ?? []).compactMap { name in
            persistentStoreCoordinator?.managedObjectModel.entitiesByName[name[0]].map { newObjectID(for: $0, referenceObject: name[1]) }
        }
    }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        if let failure = service.failure { throw failure }
        if let request = request as? NSSaveChangesRequest { return save(request) }
        guard let request = request as? NSFetchRequest<any NSFetchRequestResult>, let entity = request.entity else {
            throw NSError(domain: NSCocoaErrorDomain, code: NSPersistentStoreUnsupportedRequestTypeError)
        }
        service.conditions.append(request.predicate.map { "\($0)" } ?? "")
        var found: [(id: NSManagedObjectID, name: String)] = []
        for entity in [entity] + (request.includesSubentities ? entity.subentities : []) {
            for (key, record) in service.records[entity.name ?? ""] ?? [:] {
                guard request.predicate?.evaluate(with: record as NSDictionary) ?? true else { continue }
                found.append((newObjectID(for: entity, referenceObject: key), record["name"] as? String ?? ""))
            }
        }
        if request.sortDescriptors?.first?.key == "name" { found.sort { $0.name < $1.name } }
        if request.fetchLimit > 0 { found = Array(found.dropFirst(request.fetchOffset).prefix(request.fetchLimit)) }
        switch request.resultType {
        case .countResultType: return [NSNumber(value: found.count)]
        case .managedObjectIDResultType: return found.map(\.id)
        default: return found.compactMap { context?.object(with: $0.id) }
        }
    }

    private func save(_ request: NSSaveChangesRequest) -> [Any] {
        for object in (request.insertedObjects ?? []).union(request.updatedObjects ?? []) {
            var record: [String: Any] = [:]
            for name in object.entity.attributesByName.keys { record[name] = object.value(forKey: name) }
            for name in object.entity.relationshipsByName.keys {
                record[name] = object.objectIDs(forRelationshipNamed: name).map { [$0.entity.name ?? "", key($0)] }
            }
            record["version"] = (self.record(object.objectID)?["version"] as? UInt64 ?? 0) + 1
            service.records[object.entity.name ?? "", default: [:]][key(object.objectID)] = record
        }
        for object in request.deletedObjects ?? [] { service.records[object.entity.name ?? ""]?[key(object.objectID)] = nil }
        return []
    }

    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        guard let record = record(objectID) else {
            throw NSError(domain: NSCocoaErrorDomain, code: NSManagedObjectReferentialIntegrityError)
        }
        var values: [String: Any] = [:]
        for name in objectID.entity.attributesByName.keys { values[name] = record[name] }
        for (name, relationship) in objectID.entity.relationshipsByName where !relationship.isToMany {
            values[name] = ids(record[name]).first ?? NSNull()
        }
        return NSIncrementalStoreNode(objectID: objectID, withValues: values, version: record["version"] as? UInt64 ?? 1)
    }

    override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        let found = ids(record(objectID)?[relationship.name])
        return relationship.isToMany ? found as Any : found.first ?? NSNull()
    }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { object in
            service.keys += 1
            return newObjectID(for: object.entity, referenceObject: "key\(service.keys)")
        }
    }
}
