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
    /// The path of the version, as messages name it.
    let path: String

    /// The current version of a model, or another one.
    ///
    /// - Parameters:
    ///   - file: The model's file; it has a source, not a compiled model.
    ///   - version: The name of the version, `nil` for the current one.
    ///   - name: The name of the model.
    /// - Throws: `ModelFileError` where there is no such version, where it has no source, or where its declarations contradict each other.
    public init(_ file: ModelFile, version: String? = nil, named name: String) throws(ModelFileError) {
        let chosen = try file.version(named: version)
        guard let document = chosen.document else {
            throw ModelFileError(.noCode, "a compiled model does not say what classes are generated for it; its source does")
        }
        self.name = name
        path = chosen.path ?? name
        do throws(ModelFileError) { declarations = try chosen.declarations() } catch { throw error.at(chosen.path) }
        entities = Dictionary(declarations.entities.map { ($0.name, $0) }) { first, _ in first }
        let classNames = declarations.classNames
        entitiesOfClasses = Dictionary(
            grouping: declarations.entities.filter { CoreDataModel.className(classNames[$0.name]) != nil }
        ) { CoreDataModel.className(classNames[$0.name])?.joined(separator: ".") ?? "" }
        elements = Dictionary(document.root.children(named: "entity").map { ($0["name"] ?? "", $0) }) { first, _ in first }
    }

    /// What Xcode wrote of an entity.
    func element(_ entity: String) -> ModelDocument.Element? { elements[entity] }

    /// What Xcode wrote of a property.
    func element(_ entity: String, _ property: String) -> ModelDocument.Element? {
        element(entity)?.children.first { $0["name"] == property }
    }

    func entity(_ name: String) -> Entity? { entities[name] }

    /// The entity and those that it inherits, the nearest first.
    func lineage(_ entity: Entity) -> [Entity] {
        var lineage = [entity]
        while let parent = lineage.last?.parent, let next = self.entity(parent), !lineage.contains(where: { $0.name == next.name }) {
            lineage.append(next)
        }
        return lineage
    }

    /// The parts of the name of the class that an entity names; `nil` for `NSManagedObject`, and for none.
    func className(of entity: String) -> [String]? { CoreDataModel.className(declarations.classNames[entity]) }

    private static func className(_ written: String?) -> [String]? {
        guard let written else { return nil }
        var parts = written.split(separator: ".").map(String.init)
        // A module may come before the class: `.Person` and `Shop.Person` are `Person`.
        if written.first != ".", parts.count > 1 { parts.removeFirst() }
        return parts.isEmpty || parts == ["NSManagedObject"] ? nil : parts
    }

    /// The entities of a class.
    func entities(ofClass path: String) -> [Entity] { entitiesOfClasses[path] ?? [] }
}
