import StrataModel

/// Makes declarations from a compiled model.
struct ArchiveTranslator {
    var declarations = ModelDeclarations()
    var warnings = WarningList()
    let limits: ModelFileLimits
    /// The number of properties that may still be visited, inherited ones in each entity.
    var budget: Int
    var conditions: ExpressionUnarchiver
    /// The nesting depth of the current composite attribute.
    var openComposites = 0

    private init(limits: ModelFileLimits) {
        self.limits = limits
        budget = limits.properties
        conditions = ExpressionUnarchiver(limits: limits)
    }

    static func translate(_ bytes: [UInt8], limits: ModelFileLimits) throws(ModelFileError) -> (ModelDeclarations, [ModelFileWarning]) {
        var translator = ArchiveTranslator(limits: limits)
        try translator.translate(try KeyedArchive(bytes, limits: limits).root(ofClass: "NSManagedObjectModel"))
        return try Reconciler.reconciled(translator.declarations, translator.warnings, limits)
    }

    mutating func warn(_ kind: ModelFileWarning.Kind, _ path: String, _ message: String) {
        warnings.add(kind, path, line: nil, message)
    }

    private mutating func translate(_ model: KeyedArchive.Object) throws(ModelFileError) {
        declarations.versionIdentifiers = model.strings("NSVersionIdentifiers").filter { !$0.isEmpty }.sorted()
        let entities = model.pairs("NSEntities")
        guard entities.count <= limits.entities else {
            throw ModelFileError(.limitExceeded, "there are more than \(limits.entities) entities")
        }
        var names: [String: Set<String>] = [:]
        var found: [(name: String, KeyedArchive.Object)] = []
        for (key, value) in entities {
            guard let object = model.object(of: value) else { throw ModelFileError(.malformedArchive, "the entity \(key) is missing") }
            let entity = try object.of("NSEntityDescription", "the entity \(key)")
            let name = entity.string("NSEntityName") ?? key
            found.append((name, entity))
            names[name] = Set(entity.pairs("NSProperties").map(\.key))
        }
        for (name, entity) in found.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            let parent = entity.object("NSSuperentity")?.string("NSEntityName")
            try addEntity(name, parent: parent, inherited: parent.flatMap { names[$0] } ?? [], entity)
        }
        addTemplates(model)
        for (name, value) in model.pairs("NSConfigurations") {
            let members = model.object(of: value).map { configuration in
                configuration.members.compactMap { configuration.string(of: $0) ?? configuration.object(of: $0)?.string("NSEntityName") }
            }
            declarations.configurations.append(EntityConfiguration(name, entities: members ?? []))
        }
    }

    private mutating func addEntity(
        _ name: String, parent: String?, inherited: Set<String>, _ object: KeyedArchive.Object
    ) throws(ModelFileError) {
        let path = "entity \(name)"
        var entity = Entity(name, parent: parent, isAbstract: object.flag("NSIsAbstract"))
        entity.renamingIdentifier = renaming(object, name)
        entity.versionHashModifier = object.string("NSVersionHashModifier")
        entity.userInfo = userInfo(object)
        if let className = object.string("NSClassNameForEntity"), !className.isEmpty { declarations.classNames[name] = className }
        var indexed: [String] = []
        for (property, value) in object.pairs("NSProperties").sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            budget -= 1
            guard budget > 0 else {
                throw ModelFileError(.limitExceeded, element: path, "there are more than \(limits.properties) properties")
            }
            guard !inherited.contains(property) else { continue }
            let propertyPath = "\(path)/\(property)"
            guard let described = object.object(of: value) else {
                throw ModelFileError(.malformedArchive, element: propertyPath, "the property is missing")
            }
            switch described.className {
            case "NSAttributeDescription", "NSDerivedAttributeDescription", "NSCompositeAttributeDescription":
                guard let attribute = try attribute(property, described, "\(path)/attribute \(property)") else {
                    declarations.omitted[name, default: []].insert(property)
                    continue
                }
                entity.attributes.append(attribute)
                if described.flag("NSIsIndexed"), !attribute.isTransient { indexed.append(property) }
            case "NSRelationshipDescription":
                entity.relationships.append(try relationship(property, described, "\(path)/relationship \(property)"))
            case "NSFetchedPropertyDescription":
                if let fetched = fetchedProperty(property, described, "\(path)/fetchedProperty \(property)") {
                    entity.fetchedProperties.append(fetched)
                } else {
                    declarations.omitted[name, default: []].insert(property)
                }
            case let other:
                throw ModelFileError(.unexpectedClass, element: propertyPath, "a property is of the class \(other ?? "of no name")")
            }
        }
        addIndexes(object, indexed: indexed, to: &entity, path)
        for constraint in object.lists("NSUniqueTuples") {
            var unique = Unique()
            unique.attributes = constraint.compactMap { propertyName($0, object) }
            entity.uniquenessConstraints.append(unique)
        }
        declarations.entities.append(entity)
    }

    /// Returns the name of a property, which an archive has as a text or as the property itself.
    func propertyName(_ value: KeyedArchive.Value, _ owner: KeyedArchive.Object) -> String? {
        owner.string(of: value) ?? owner.object(of: value)?.string("NSPropertyName")
    }

    func renaming(_ object: KeyedArchive.Object, _ name: String) -> String? {
        object.string("NSRenamingIdentifier").flatMap { $0 == name || $0.isEmpty ? nil : $0 }
    }

    func userInfo(_ object: KeyedArchive.Object) -> [String: String] {
        Dictionary(object.pairs("NSUserInfo").compactMap { key, value in object.string(of: value).map { (key, $0) } }) { $1 }
    }

    private mutating func addIndexes(_ object: KeyedArchive.Object, indexed: [String], to entity: inout Entity, _ path: String) {
        for described in object.objects("NSFetchIndexDescriptions") {
            let name = described.string("NSIndexName") ?? ""
            let indexPath = "\(path)/fetchIndex \(name)"
            var index = FetchIndex(name)
            for element in described.objects("NSIndexElements") {
                let type = element.int("NSFetchIndexElementType") ?? 0
                guard type == 0 || type == 1, let part = indexElement(element, indexPath) else {
                    index.elements = []
                    break
                }
                if type == 1 { index.isLocation = true }
                index.elements.append(part)
            }
            guard !index.elements.isEmpty else {
                warn(.unsupported, indexPath, "an index of an unknown type, or over nothing that is known, is left out")
                continue
            }
            if let partial = described.object(ofClassEndingIn: "Predicate") {
                index.condition = condition(partial, indexPath, otherwise: "the index is over all objects")
            }
            entity.indexes.append(index)
        }
        for property in indexed { entity.addUnnamedIndex(over: [property]) }
        for properties in object.lists("NSCompoundIndexes") {
            entity.addUnnamedIndex(over: properties.compactMap { propertyName($0, object) })
        }
    }

    private mutating func addTemplates(_ model: KeyedArchive.Object) {
        for (name, value) in model.pairs("NSFetchRequestTemplates") {
            let path = "fetchRequest \(name)"
            guard let request = model.object(of: value), let found = self.request(request, path, "the fetch template is left out") else {
                continue
            }
            var template = FetchTemplate(name, entity: found.entity, predicate: found.predicate, sort: sort(request), limit: found.limit)
            template.offset = max(0, request.int("NSFetchOffset") ?? 0)
            if request.value("NSIncludesSubentities") != nil { template.includesSubentities = request.flag("NSIncludesSubentities") }
            declarations.fetchTemplates.append(template)
        }
    }

    private func destination(of request: KeyedArchive.Object) -> String? {
        request.string("NSEntityName") ?? request.string("_NSEntityName") ?? request.object("NSEntity")?.string("NSEntityName")
    }

    /// Returns a fetch request; `nil` if it cannot be read, with a warning about the effect on its owner.
    private mutating func request(
        _ request: KeyedArchive.Object, _ path: String, _ otherwise: String
    ) -> (entity: String, predicate: String?, limit: Int?)? {
        guard let entity = destination(of: request) else {
            warn(.unsupported, path, "nothing says which entity is fetched; \(otherwise)")
            return nil
        }
        var predicate: String?
        if let held = request.object(ofClassEndingIn: "Predicate") {
            predicate = condition(held, path, otherwise: otherwise)
            if predicate == nil { return nil }
        }
        return (entity, predicate, request.int("NSFetchLimit").flatMap { $0 > 0 ? $0 : nil })
    }

    private mutating func fetchedProperty(_ name: String, _ object: KeyedArchive.Object, _ path: String) -> FetchedProperty? {
        let otherwise = "the fetched property is left out"
        guard let request = object.object(ofClassEndingIn: "FetchRequest") else {
            warn(.unsupported, path, "it has no fetch request; \(otherwise)")
            return nil
        }
        guard let found = self.request(request, path, otherwise) else { return nil }
        return FetchedProperty(name, to: found.entity, predicate: found.predicate, sort: sort(request), limit: found.limit)
            .userInfo(userInfo(object))
    }
}
