public import StrataModel

/// The entity that a class declares; a model of several classes fills in the names of destinations and inverses.
public struct EntityDeclaration: Sendable {
    /// The entity without what only other classes declare.
    public var entity: Entity
    /// The configurations that the entity belongs to.
    public var configurations: [String]
    /// The properties in the order of their declaration.
    public let properties: [DeclaredProperty]
    let parent: ManagedObject.Type?

    /// Creates a declaration of the entity of a class.
    ///
    /// - Parameters:
    ///   - name: The name of the entity.
    ///   - objectClass: The class of its objects.
    ///   - parent: The class's superclass: the entity of a class that declares one is the parent of this one.
    ///   - isAbstract: Whether no object can be made of it, only of its sub-entities.
    ///   - originalName: The name that the entity had in an earlier version of the model.
    ///   - configurations: The configurations that it belongs to.
    ///   - hashModifier: Text that makes the version hash differ where nothing else does.
    ///   - uniquenessConstraints: The names of the attributes of each constraint.
    ///   - indexes: The names of the properties of each index.
    ///   - properties: What the class declares itself.
    public init(
        _ name: String, class objectClass: ManagedObject.Type, parent: ManagedObject.Type = ManagedObject.self, isAbstract: Bool = false,
        originalName: String? = nil, configurations: [String] = [], hashModifier: String? = nil, uniquenessConstraints: [[String]] = [],
        indexes: [[String]] = [], properties: [DeclaredProperty]
    ) {
        var entity = Entity(name, isAbstract: isAbstract, class: objectClass)
        entity.renamingIdentifier = originalName
        entity.versionHashModifier = hashModifier
        for property in properties {
            if let attribute = property.attribute { entity.attributes.append(attribute) }
            if property.isUnique { entity.uniquenessConstraints.append(Unique(property.name)) }
        }
        for names in uniquenessConstraints { entity.uniquenessConstraints.append(Unique(names)) }
        for names in indexes { entity.indexes.append(FetchIndex(names.joined(separator: "_"), elements: names.map { .init($0) })) }
        self.entity = entity
        self.configurations = configurations
        self.properties = properties
        self.parent = parent == ManagedObject.self ? nil : parent
    }

    var destinations: [ManagedObject.Type] { properties.compactMap { $0.relationship?.destination } }
}
