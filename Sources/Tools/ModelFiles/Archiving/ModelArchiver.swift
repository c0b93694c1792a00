public import StrataModel

extension ManagedObjectModel {
    /// Returns the model compiled and compressed as Core Data keeps it in a store's table `Z_MODELCACHE`: what
    /// `ModelFile(modelCache:)` reads.
    ///
    /// - Returns: `nil` where the model has what no archive of Core Data's was seen to hold, so that its form is not
    ///   known: nested composite attributes, expressions in indexes, regular expressions as validation rules, operators and
    ///   expressions other than comparisons, `IN`, `CONTAINS`, key paths, variables, constants and functions.
    /// - Complexity: O(n) in the properties of all entities, inherited ones included.
    public func modelCache() -> [UInt8]? {
        var archiver = ModelArchiver(self)
        do throws(UnknownForm) { return Deflater.deflate(try archiver.archive()) } catch { return nil }
    }
}

/// Compiles a model to a keyed archive, in the form that Core Data's archives of models have: the counterpart of
/// `ArchiveTranslator`.
struct ModelArchiver {
    typealias Object = KeyedArchiver.Object
    static let null = KeyedArchiver.null

    /// A property of an entity, which each subentity has a description of its own of.
    enum Property {
        case attribute(Attribute)
        case relationship(Relationship)
        case fetched(FetchedProperty)

        var name: String {
            switch self {
            case .attribute(let attribute): attribute.name
            case .relationship(let relationship): relationship.name
            case .fetched(let property): property.name
            }
        }
    }

    let model: ManagedObjectModel
    private let entities: [EntityDescription]
    let declarations: [String: Entity]
    private let hasIndexes: Bool
    var archiver = KeyedArchiver(superclasses: superclasses)
    private let root: Object
    private let noUserInfo: Object
    /// The references of the entities, by name.
    private(set) var references: [String: Object] = [:]
    /// The properties of the entities with their references, by the names of entity and property.
    private var properties: [String: [(property: Property, reference: Object)]] = [:]

    init(_ model: ManagedObjectModel) {
        self.model = model
        entities = model.entities.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        declarations = Dictionary(model.declarations.entities.map { ($0.name, $0) }) { first, _ in first }
        hasIndexes = model.declarations.entities.contains { !$0.indexes.isEmpty }
        root = archiver.reserve()
        noUserInfo = archiver.dictionary([], "NSDictionary")
        for entity in entities { references[entity.name] = archiver.reserve() }
        for entity in entities {
            properties[entity.name] = declared(in: entity).map { ($0, archiver.reserve()) }
        }
    }

    /// Returns the properties of an entity, inherited ones included, in the order of their names.
    private func declared(in entity: EntityDescription) -> [Property] {
        ([entity.name] + entity.superentityNames).compactMap { declarations[$0] }.flatMap { entity in
            entity.attributes.map { .attribute($0) } + entity.relationships.map { .relationship($0) }
                + entity.fetchedProperties.map { Property.fetched($0) }
        }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    mutating func archive() throws(UnknownForm) -> [UInt8] {
        for entity in entities { try define(entity) }
        var fields = [
            "NSEntities": knownKeys(), "NSFetchRequestTemplates": try templates(),
            "NSVersionIdentifiers": archiver.list(model.versionIdentifiers.map { archiver.text($0) }, "NSSet"),
        ]
        let configurations = model.declarations.configurations
        if !configurations.isEmpty {
            let pairs = configurations.map { configuration in
                (configuration.name, archiver.list(configuration.entities.compactMap { references[$0] }, "NSSet"))
            }
            fields["NSConfigurations"] = archiver.dictionary(pairs)
        }
        archiver.define(root, "NSManagedObjectModel", fields)
        return archiver.bytes()
    }

    /// Adds the entities as the dictionary of fixed keys that Core Data has them in.
    private mutating func knownKeys() -> Object {
        let keys = archiver.list(entities.map { archiver.text($0.name) })
        let mapping = archiver.add(
            "NSKnownKeysMappingStrategy1", ["keys": keys, "length": .int(Int64(entities.count)), "version": .int(1)])
        return archiver.add(
            "NSKnownKeysDictionary1",
            [
                "searchMapping": mapping, "values": archiver.list(entities.compactMap { references[$0.name] }), "version": .int(1),
                "emptyToken": archiver.text("__empty_slot_token_4c24_98dc_ac1e_b773__"),
            ])
    }

    private mutating func define(_ entity: EntityDescription) throws(UnknownForm) {
        guard let reference = references[entity.name], let declaration = declarations[entity.name] else { throw UnknownForm() }
        var (parent, children): (Object, [(String, Object)]) = (Self.null, [])
        if let index = entity.superentity { parent = try self.reference(of: model.entities[index].name) }
        for index in entity.subentities {
            children.append((model.entities[index].name, try self.reference(of: model.entities[index].name)))
        }
        var members: [(String, Object)] = []
        for (property, member) in properties[entity.name] ?? [] {
            try define(property, member, of: entity)
            members.append((property.name, member))
        }
        var fields = [
            "NSEntityName": archiver.text(entity.name),
            "NSClassNameForEntity": archiver.text(ModelArchiver.className(of: entity)),
            "NSManagedObjectModel": root, "NSSuperentity": parent, "NSSubentities": archiver.dictionary(children),
            "NSProperties": archiver.dictionary(members), "NSRenamingIdentifier": archiver.text(entity.renamingIdentifier ?? entity.name),
            "NSVersionHashModifier": archiver.text(declaration.versionHashModifier), "NSUserInfo": userInfo(declaration.userInfo),
        ]
        if declaration.isAbstract { fields["NSIsAbstract"] = .bool(true) }
        let constraints = declaration.uniquenessConstraints + declaration.unenforcedConstraints
        if !constraints.isEmpty { fields["NSUniqueTuples"] = lists(constraints.map(\.attributes)) }
        if hasIndexes {
            let indexes = try archiver.list(
                declaration.indexes.map { index throws(UnknownForm) in try add(index, reference) }, "NSMutableArray")
            fields["NSFetchIndexDescriptions"] = indexes
            let compound = declaration.indexes.filter {
                !$0.isLocation && $0.elements.count > 1
                    && $0.elements.allSatisfy { $0.isAscending && entity.attribute(named: $0.property) != nil }
            }
            fields["NSCompoundIndexes"] = lists(compound.map { $0.elements.map(\.property) })
        }
        archiver.define(reference, "NSEntityDescription", fields)
    }

    /// Returns the name of the class of an entity's objects; `nil` for plain managed objects.
    private static func className(of entity: EntityDescription) -> String? {
        let name = entity.objectClass.map { String(reflecting: $0) }
        return name == "CoreData.NSManagedObject" || name == "StrataGraph.ManagedObject" ? nil : name
    }

    /// Adds lists of names.
    private mutating func lists(_ lists: [[String]]) -> Object {
        archiver.list(lists.map { list in archiver.list(list.map { archiver.text($0) }, "NSMutableArray") }, "NSMutableArray")
    }

    func reference(of entity: String) throws(UnknownForm) -> Object {
        guard let reference = references[entity] else { throw UnknownForm() }
        return reference
    }

    func reference(of property: String, in entity: String) -> Object? {
        properties[entity]?.first { $0.property.name == property }?.reference
    }

    mutating func userInfo(_ info: [String: String]) -> Object {
        if info.isEmpty { return noUserInfo }
        return archiver.dictionary(info.sorted { $0.key < $1.key }.map { ($0, archiver.text($1)) }, "NSDictionary")
    }

    /// The superclasses of the archived classes; those without are subclasses of `NSObject`.
    private static let superclasses = [
        "NSMutableDictionary": "NSDictionary", "NSMutableArray": "NSArray", "NSNumber": "NSValue", "NSDecimalNumber": "NSNumber",
        "NSKnownKeysDictionary": "NSMutableDictionary", "NSKnownKeysDictionary1": "NSKnownKeysDictionary",
        "NSKnownKeysMappingStrategy1": "NSKnownKeysMappingStrategy", "NSAttributeDescription": "NSPropertyDescription",
        "NSDerivedAttributeDescription": "NSAttributeDescription", "NSCompositeAttributeDescription": "NSAttributeDescription",
        "NSRelationshipDescription": "NSPropertyDescription",
        "NSFetchedPropertyDescription": "NSPropertyDescription", "NSFetchRequest": "NSPersistentStoreRequest",
        "NSComparisonPredicate": "NSPredicate", "NSCompoundPredicate": "NSPredicate",
        "NSComparisonPredicateOperator": "NSPredicateOperator",
        "NSEqualityPredicateOperator": "NSPredicateOperator", "NSInPredicateOperator": "NSPredicateOperator",
        "NSSelfExpression": "NSExpression", "NSVariableExpression": "NSExpression", "NSConstantValueExpression": "NSExpression",
        "NSKeyPathSpecifierExpression": "NSExpression", "NSFunctionExpression": "NSExpression",
        "NSKeyPathExpression": "NSFunctionExpression",
    ]
}
