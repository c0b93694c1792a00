import CoreData

/// An atomic store in a property list.
final class PropertyListStore: NSAtomicStore, @unchecked Sendable {
    static let storeType = "PropertyListStore"
    /// What the next save throws.
    var failure: NSError?

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try contents(url)?["metadata"] as? [String: Any] ?? [:]
    }

    private static func contents(_ url: URL) throws -> [String: Any]? {
        guard let data = try? Data(contentsOf: url) else { return nil }
        return try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
    }

    override func load() throws {
        guard let url, let contents = try PropertyListStore.contents(url), let records = contents["objects"] as? [String: [String: Any]],
            let entities = persistentStoreCoordinator?.managedObjectModel.entitiesByName
        else { return }
        var nodes: [String: NSAtomicStoreCacheNode] = [:]
        for (key, record) in records {
            guard let name = record["entity"] as? String, let entity = entities[name] else { continue }
            nodes[key] = NSAtomicStoreCacheNode(objectID: objectID(for: entity, withReferenceObject: key))
        }
        for (key, record) in records {
            guard let node = nodes[key] else { continue }
            for name in node.objectID.entity.attributesByName.keys { node.setValue(record[name], forKey: name) }
            for (name, relationship) in node.objectID.entity.relationshipsByName {
                let others = (record[name] as? [String] ?? []).compactMap { nodes[$0] }
                node.setValue(relationship.isToMany ? Set(others) : others.first, forKey: name)
            }
        }
        addCacheNodes(Set(nodes.values))
    }

    override func save() throws {
        if let failure { throw failure }
        guard let url else { return }
        var records: [String: [String: Any]] = [:]
        for node in cacheNodes() {
            guard let key = referenceObject(for: node.objectID) as? String else { continue }
            var record: [String: Any] = ["entity": node.objectID.entity.name ?? ""]
            for name in node.objectID.entity.attributesByName.keys { record[name] = node.value(forKey: name) }
            for name in node.objectID.entity.relationshipsByName.keys {
                let value = node.value(forKey: name)
                let others = value as? Set<NSAtomicStoreCacheNode> ?? Set([value as? NSAtomicStoreCacheNode].compactMap { $0 })
                record[name] = others.compactMap { referenceObject(for: $0.objectID) as? String }
            }
            records[key] = record
        }
        let contents: [String: Any] = ["metadata": metadata ?? [:], "objects": records]
        try PropertyListSerialization.data(fromPropertyList: contents, format: .xml, options: 0).write(to: url)
    }

    override func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID().uuidString }

    override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        let node = NSAtomicStoreCacheNode(objectID: managedObject.objectID)
        updateCacheNode(node, from: managedObject)
        return node
    }

    override func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        for name in managedObject.entity.attributesByName.keys { node.setValue(managedObject.value(forKey: name), forKey: name) }
        for (name, relationship) in managedObject.entity.relationshipsByName {
            let others = managedObject.objectIDs(forRelationshipNamed: name).compactMap { cacheNode(for: $0) }
            node.setValue(relationship.isToMany ? Set(others) : others.first, forKey: name)
        }
    }
}
