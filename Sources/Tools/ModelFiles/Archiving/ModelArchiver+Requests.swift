import StrataModel
import StrataQuery

extension ModelArchiver {
    /// Adds a fetch index of an entity.
    mutating func add(_ index: FetchIndex, _ entity: Object) throws(UnknownForm) -> Object {
        let object = archiver.reserve()
        var elements: [Object] = []
        for element in index.elements {
            guard element.expression == nil, !element.property.utf8.contains(UInt8(ascii: ".")) else { throw UnknownForm() }
            elements.append(
                archiver.add(
                    "NSFetchIndexElementDescription",
                    [
                        "NSPropertyName": archiver.text(element.property), "NSFetchIndexElementType": .int(index.isLocation ? 1 : 0),
                        "NSFetchIndexDescription": object, "NSAscending": .bool(element.isAscending),
                    ]))
        }
        archiver.define(
            object, "NSFetchIndexDescription",
            [
                "NSIndexName": archiver.text(index.name), "NSEntity": entity, "NSIndexElements": archiver.list(elements, "NSMutableArray"),
                "NSPartialIndexPredicate": try archiver.add(condition: index.condition),
            ])
        return object
    }

    mutating func templates() throws(UnknownForm) -> Object {
        let templates = model.declarations.fetchTemplates
        if templates.isEmpty { return ModelArchiver.null }
        var pairs: [(String, Object)] = []
        for template in templates {
            // The flag of requests without subentities is not known.
            guard template.includesSubentities else { throw UnknownForm() }
            let request = FetchedProperty(
                template.name, to: template.entity, predicate: template.predicate, sort: template.sort, limit: template.limit)
            pairs.append((template.name, try add(request, offset: template.offset)))
        }
        return archiver.dictionary(pairs)
    }

    /// Defines the description that an entity has of a fetched property, which is never stored or set.
    mutating func define(_ fetched: FetchedProperty, _ object: Object, of entity: EntityDescription) throws(UnknownForm) {
        var fields = try common(fetched.name, of: entity, flags: Flag.optional | Flag.readOnly | Flag.transient, fetched.userInfo)
        fields["NSFetchRequest"] = try add(fetched, offset: 0)
        fields["_NSFetchRequestEntityName"] = archiver.text(fetched.destination)
        archiver.define(object, "NSFetchedPropertyDescription", fields)
    }

    private mutating func add(_ request: FetchedProperty, offset: Int) throws(UnknownForm) -> Object {
        let orders = request.sort.map { element in
            archiver.add(
                "NSSortDescriptor",
                [
                    "NSKey": archiver.text(element.keyPath), "NSAscending": .bool(element.isAscending), "NSReverseNullOrder": .bool(false),
                    "NSSelector": archiver.text("compare:"),
                ])
        }
        return archiver.add(
            "NSFetchRequest",
            [
                "NSEntity": try reference(of: request.destination), "NSPredicate": try archiver.add(condition: request.predicate),
                "NSSortDescriptors": orders.isEmpty ? ModelArchiver.null : archiver.list(orders),
                "NSFetchLimit": .int(Int64(request.limit ?? 0)), "NSFetchOffset": .int(Int64(offset)),
                "NSHasFetchRequestFlags": .bool(true), "NSFetchRequestFlags": .int(30), "NSResultType": .int(0), "NSBatchSize": .int(0),
                "NSAllocationType": .int(0), "NSHavingPredicate": ModelArchiver.null, "NSValuesToFetch": ModelArchiver.null,
                "NSValuesToGroupBy": ModelArchiver.null, "NSRelationshipKeyPathsForPrefetching": ModelArchiver.null,
            ])
    }
}
