import StrataModel

/// Makes a document of a file `elements`, the keyed archive in which Xcode 3 saved the source of a model.
///
/// An entity, and each of its properties, has values by key in dictionaries that the archive calls stereotypes.
struct ElementsTranslator {
    typealias Element = ModelDocument.Element
    private typealias Values = [String: KeyedArchive.Object]

    private let limits: ModelFileLimits
    /// The number of values that may still be read: an archive may reference one object many times.
    private var budget: Int
    private var warnings = WarningList()
    private var requests: [Element] = []

    /// Returns the document that a later version of Xcode would save, with warnings.
    static func document(_ bytes: [UInt8], limits: ModelFileLimits) throws(ModelFileError) -> (ModelDocument, WarningList) {
        var translator = ElementsTranslator(limits: limits, budget: limits.elements)
        let root = try translator.model(try KeyedArchive(bytes, limits: limits).root(ofClass: "XDPMModel"))
        return (ModelDocument(root: root), translator.warnings)
    }

    private init(limits: ModelFileLimits, budget: Int) {
        self.limits = limits
        self.budget = budget
    }

    private mutating func model(_ object: KeyedArchive.Object) throws(ModelFileError) -> Element {
        warnings.add(.questionable, "model", line: nil, "the model is in the format of Xcode 3")
        guard let package = object.object("_xd_rootPackage") else {
            throw ModelFileError(.malformedArchive, element: "model", "the model has no package of entities")
        }
        var model = Element("model")
        model["userDefinedModelVersionIdentifier"] = object.string("_modelVersionIdentifier")
        for (name, entity) in try members("XDBucketForClassesstorage", of: package, "model") {
            model.children.append(try self.entity(name, try entity.of("XDPMEntity", "the entity \(name)")))
        }
        for (name, value) in object.pairs("_configurationsByName").sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            let members = object.object(of: value)?.members ?? []
            let names = members.compactMap { object.string(of: $0) ?? object.object(of: $0)?.string("_name") }
            model.children.append(Element("configuration", name, children: names.map { Element("memberEntity", $0) }))
        }
        model.children += requests
        return model
    }

    private mutating func entity(_ name: String, _ object: KeyedArchive.Object) throws(ModelFileError) -> Element {
        let path = "entity \(name)"
        let values = try values(of: object, path)
        var entity = Element("entity", name)
        entity["representedClassName"] = values.text("XD_PSK_entityClassName")
        // The archive has a generalization without an entity where the parent was removed.
        entity["parentEntity"] =
            object.objects("XDBucketForGeneralizationsstorage").lazy
            .compactMap { $0.object("_general")?.string("_name") }.first
        entity.set("isAbstract", values.flag("XD_PSK_isAbstract"))
        entity["elementID"] = values.text("XD_PSK_elementID")
        entity["versionHashModifier"] = values.text("XD_PSK_versionHashModifier")
        var children: [String: [Element]] = [:]
        for (property, object) in try members("XDBucketForOwnedAttributesstorage", of: object, path) {
            guard let element = try self.property(property, object, path) else { continue }
            children[element.name, default: []].append(element)
        }
        entity.children = ["attribute", "relationship", "fetchedProperty"].flatMap { children[$0] ?? [] }
        let indexes = values["XDPMCompoundIndexes"]?.lists("_default") ?? []
        if !indexes.isEmpty { warnings.add(.leftOut, path, line: nil, "compound indexes of Xcode 3 are left out") }
        entity.children += values.userInfo("XD_PSK_userInfo")
        for request in values["XD_PSK_fetchRequestsArray"]?.objects("_default") ?? [] {
            if request.object("_fetchedProperty") == nil { requests.append(try self.request(request, of: name)) }
        }
        return entity
    }

    private mutating func property(
        _ name: String, _ object: KeyedArchive.Object, _ entity: String
    ) throws(ModelFileError) -> Element? {
        let (kinds, path) = (["XDPMAttribute": "attribute", "XDPMRelationship": "relationship"], "\(entity)/\(name)")
        let values = try values(of: object, path)
        var element = Element(kinds[object.className ?? ""] ?? "fetchedProperty", name)
        element.set("optional", values.flag("XD_PPSK_isOptional"))
        element.set("transient", values.flag("XD_PPSK_isTransient"))
        switch object.className {
        case "XDPMAttribute": try completeAttribute(&element, values, path)
        case "XDPMRelationship": try completeRelationship(&element, values, path)
        default:
            let request = values.values.lazy.compactMap { $0.object("_default") }.first { $0.className == "XDPMFetchRequest" }
            guard let request else {
                warnings.add(
                    .leftOut, path, line: nil,
                    "the property is of the class \(object.className ?? "of no name"), has no fetch request and is left out")
                return nil
            }
            element.children.append(try self.request(request, of: name))
        }
        element.set("indexed", values.flag("XD_PPSK_isIndexed"))
        element.set("storedInTruthFile", values.flag("XD_PPSK_isStoredInTruthFile"))
        element.set("spotlightIndexingEnabled", values.flag("XD_PPSK_isSpotlightIndexed"))
        element["elementID"] = values.text("XD_PPSK_elementID")
        element["versionHashModifier"] = values.text("XD_PPSK_versionHashModifier")
        element.children += values.userInfo("XD_PPSK_userInfo")
        return element
    }

    private func completeAttribute(_ element: inout Element, _ values: Values, _ path: String) throws(ModelFileError) {
        let number = values.int("XD_PAttK_attributeType") ?? 0
        if number != 0 {
            // Two names are of one type; the first is the one that Xcode writes.
            let names = ModelVocabulary.types.filter { $0.value.rawValue == number }.map(\.key).sorted()
            guard let name = number == 2000 ? "Object ID" : names.first else {
                throw ModelFileError(.invalidValue, element: path, "there is no attribute type of the number \(number)")
            }
            element["attributeType"] = name
        }
        for name in ["minValueString", "maxValueString", "regularExpressionString", "valueTransformerName"] {
            element[name] = values.text("XD_PAttK_" + name)
        }
        element["defaultValueString"] = values.text("XD_PAttK_defaultValueAsString")
        element.set("allowsExternalBinaryDataStorage", values.flag("XD_PAttK_allowsExternalBinaryDataStorage"))
    }

    private func completeRelationship(_ element: inout Element, _ values: Values, _ path: String) throws(ModelFileError) {
        let isToMany = values.flag("XD_PRK_isToMany")
        element.set("toMany", isToMany)
        element["minCount"] = values.int("XD_PRK_minCount").flatMap { $0 == 0 ? nil : String($0) }
        element["maxCount"] = isToMany ? values.int("XD_PRK_maxCount").flatMap { $0 == 0 ? nil : String($0) } : "1"
        let (number, rules) = (values.int("XD_PRK_deleteRule") ?? 1, ["No Action", "Nullify", "Cascade", "Deny"])
        guard rules.indices.contains(number) else {
            throw ModelFileError(.invalidValue, element: path, "there is no delete rule of the number \(number)")
        }
        element["deletionRule"] = rules[number]
        element.set("ordered", values.flag("XD_PRK_ordered"))
        element["destinationEntity"] = values["XD_PRK_destination"]?.object("_default")?.string("_name")
        if let inverse = values["XD_PRK_inverseRelationship"]?.object("_default")?.string("_name") {
            element["inverseName"] = inverse
            element["inverseEntity"] = element["destinationEntity"]
        }
    }

    private mutating func request(_ object: KeyedArchive.Object, of owner: String) throws(ModelFileError) -> Element {
        try spend("fetchRequest of \(owner)")
        var request = Element("fetchRequest", object.string("_name") ?? "fetchedPropertyFetchRequest")
        request["entity"] = object.object("_entity")?.string("_name")
        request["predicateString"] = object.string("_predicateString")
        // The archive does not say; it is the default of a fetch request.
        request["includeSubentities"] = "YES"
        return request
    }

    // MARK: - The archive

    /// Returns the objects of a dictionary by name, in the order of their names.
    private mutating func members(
        _ key: String, of owner: KeyedArchive.Object, _ path: String
    ) throws(ModelFileError) -> [(name: String, KeyedArchive.Object)] {
        var found: [(name: String, KeyedArchive.Object)] = []
        for (name, value) in owner.pairs(key) {
            try spend(path)
            guard let object = owner.object(of: value) else { throw ModelFileError(.malformedArchive, element: path, "\(name) is missing") }
            found.append((object.string("_name") ?? name, object))
        }
        return found.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Returns what the stereotypes of an entity or a property hold, under `_default`.
    private mutating func values(of owner: KeyedArchive.Object, _ path: String) throws(ModelFileError) -> Values {
        var values: Values = [:]
        for (_, stereotype) in try members("XDBucketForStereotypesstorage", of: owner, path) {
            for (name, value) in try members("XDBucketForOwnedAttributesstorage", of: stereotype, path) { values[name] = value }
        }
        return values
    }

    private mutating func spend(_ path: String) throws(ModelFileError) {
        budget -= 1
        guard budget > 0 else {
            throw ModelFileError(.limitExceeded, element: path, "the archive has more than \(limits.elements) values")
        }
    }
}

extension [String: KeyedArchive.Object] {
    fileprivate func text(_ key: String) -> String? { self[key]?.string("_default").flatMap { $0.isEmpty ? nil : $0 } }
    fileprivate func flag(_ key: String) -> Bool { self[key]?.flag("_default") ?? false }
    fileprivate func int(_ key: String) -> Int? { self[key]?.int("_default") }

    fileprivate func userInfo(_ key: String) -> [ModelDocument.Element] {
        guard let info = self[key] else { return [] }
        let entries = info.pairs("_default").compactMap { key, value in
            info.string(of: value).map { ModelDocument.Element("entry", attributes: [.init("key", key), .init("value", $0)]) }
        }
        return entries.isEmpty ? [] : [ModelDocument.Element("userInfo", children: entries.sorted { $0["key"] ?? "" < $1["key"] ?? "" })]
    }
}

extension ModelDocument.Element {
    fileprivate init(_ element: String, _ name: String, children: [ModelDocument.Element] = []) {
        self.init(element, attributes: [.init("name", name)], children: children)
    }

    fileprivate mutating func set(_ name: String, _ flag: Bool) { if flag { self[name] = "YES" } }
}
