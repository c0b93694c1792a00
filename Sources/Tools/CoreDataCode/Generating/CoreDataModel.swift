import StrataModel
public import StrataModelFiles

/// A version of a model whose classes a target has.
public struct CoreDataModel: Sendable {
    /// The name of the model.
    public let name: String
    let declarations: ModelDeclarations
    private let elements: [String: ModelDocument.Element]
    private let entities: [String: Entity]
    /// The entities of each class, by its name.
    let entitiesOfClasses: [String: [Entity]]
    /// The path of the version in messages.
    let path: String
    /// What the model does not have as it is written: defaults of another type than their attribute's, for example.
    let warnings: [ModelFileWarning]

    /// Reads the current version of a model, or another one.
    ///
    /// - Parameters:
    ///   - file: The model's file; it has a source, not a compiled model.
    ///   - version: The name of the version, `nil` for the current one.
    ///   - name: The name of the model.
    /// - Throws: `ModelFileError` where there is no such version, where it has no source, or it is invalid.
    public init(_ file: ModelFile, version: String? = nil, named name: String) throws(ModelFileError) {
        let chosen = try file.version(named: version)
        let document = try chosen.source()
        self.name = name
        path = chosen.path ?? name
        warnings = chosen.warnings.filter { $0.kind == .questionable || $0.kind == .leftOut }
        do throws(ModelFileError) { declarations = try chosen.declarations() } catch { throw error.at(chosen.path) }
        entities = Dictionary(declarations.entities.map { ($0.name, $0) }) { first, _ in first }
        let classNames = declarations.classNames
        entitiesOfClasses = Dictionary(
            grouping: declarations.entities.filter { CoreDataModel.className(classNames[$0.name]) != nil }
        ) { CoreDataModel.className(classNames[$0.name])?.joined(separator: ".") ?? "" }
        elements = Dictionary(document.root.children(named: "entity").map { ($0["name"] ?? "", $0) }) { first, _ in first }
    }

    func element(_ entity: String) -> ModelDocument.Element? { elements[entity] }

    func element(_ entity: String, _ property: String) -> ModelDocument.Element? {
        element(entity)?.children.first { $0["name"] == property }
    }

    func entity(_ name: String) -> Entity? { entities[name] }

    /// Returns the entity and its ancestors, the nearest first.
    func lineage(_ entity: Entity) -> [Entity] {
        var lineage = [entity]
        while let parent = lineage.last?.parent, let next = self.entity(parent), !lineage.contains(where: { $0.name == next.name }) {
            lineage.append(next)
        }
        return lineage
    }

    /// Returns the parts of the name of an entity's class; `nil` for `NSManagedObject`, and for none.
    func className(of entity: String) -> [String]? { CoreDataModel.className(declarations.classNames[entity]) }

    private static func className(_ written: String?) -> [String]? {
        guard let written else { return nil }
        var parts = written.split(separator: ".").map(String.init)
        // A module may precede the class: `.Person` and `Shop.Person` are `Person`.
        if written.first != ".", parts.count > 1 { parts.removeFirst() }
        return parts.isEmpty || parts == ["NSManagedObject"] ? nil : parts
    }

    func entities(ofClass path: String) -> [Entity] { entitiesOfClasses[path] ?? [] }
}
