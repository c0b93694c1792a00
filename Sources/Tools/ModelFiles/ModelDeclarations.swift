public import StrataModel

/// The declarations in a model's file, in the terms that a ``/StrataModel/ManagedObjectModel`` is made of.
///
/// To change a model that was read before it is made, change its declarations and give them to
/// `ManagedObjectModel(entities:configurations:fetchTemplates:versionIdentifiers:)`.
public struct ModelDeclarations: Sendable {
    /// The entities; none has a class yet.
    public var entities: [Entity] = []
    /// The configurations.
    public var configurations: [EntityConfiguration] = []
    /// The fetch templates.
    public var fetchTemplates: [FetchTemplate] = []
    /// The identifiers that an application gave the version.
    public var versionIdentifiers: [String] = []
    /// The names of the classes of entities' objects, by entity.
    public var classNames: [String: String] = [:]
    /// The lines of elements, by their names in errors.
    var lines: [String: Int] = [:]
    /// The properties of the file that the model lacks, by entity.
    var omitted: [String: Set<String>] = [:]

    /// Makes the model of the declarations; throws if they are invalid.
    func model(
        classes: (String) -> AnyClass?, transformers: (String) -> ValueTransformer?
    ) throws(ModelFileError) -> ManagedObjectModel {
        var declared = entities
        for index in declared.indices {
            declared[index].objectClass = classNames[declared[index].name].flatMap(classes)
            for attribute in declared[index].attributes.indices {
                ModelDeclarations.setTransformers(of: &declared[index].attributes[attribute], transformers)
            }
        }
        do throws(ModelError) {
            return try ManagedObjectModel(
                entities: declared, configurations: configurations, fetchTemplates: fetchTemplates, versionIdentifiers: versionIdentifiers)
        } catch {
            throw self.error(error)
        }
    }

    private static func setTransformers(of attribute: inout Attribute, _ transformers: (String) -> ValueTransformer?) {
        for index in attribute.elements.indices { setTransformers(of: &attribute.elements[index], transformers) }
        if let name = attribute.transformer?.name, let given = transformers(name) { attribute.transformer = given }
    }

    private func error(_ error: ModelError) -> ModelFileError {
        let entity = "entity \(error.entity)"
        let paths = error.property.map { name in
            ["attribute", "relationship", "fetchedProperty", "fetchIndex"].map { "\(entity)/\($0) \(name)" }
        }
        let known = paths?.first { lines[$0] != nil }
        let path = known ?? error.property.map { "\(entity)/\($0)" } ?? entity
        return ModelFileError(
            .inconsistent, element: path, line: known.flatMap { lines[$0] } ?? lines[entity], reason: error.reason, error.message)
    }
}
