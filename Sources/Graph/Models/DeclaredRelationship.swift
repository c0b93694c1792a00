public import StrataModel
import StrataQuery

/// A relationship as a class declares it: with a class for a destination, and possibly without its inverse.
struct DeclaredRelationship: Sendable {
    var name: String
    var cardinality: Relationship.Cardinality
    var destination: ManagedObject.Type
    /// The name of the inverse; `nil` for the only possible one.
    var inverse: String?
    /// The declared class of the inverse; `nil` where it is not declared.
    var inverseOwner: ManagedObject.Type?
    var isOptional: Bool
    /// Whether the property of a to-many relationship is no optional.
    var isRequiredInSwiftData = false
    var deleteRule: DeleteRule
    var minCount: Int
    var maxCount: Int?
    var originalName: String?
    var hashModifier: String?

    func relationship(to entity: String, inverse: String?) -> Relationship {
        var relationship = Relationship(
            name, to: entity, inverse: inverse, cardinality, deleteRule: deleteRule, minCount: minCount, maxCount: maxCount)
        relationship.isOptional = isOptional
        relationship.isRequiredInSwiftData = isRequiredInSwiftData
        relationship.renamingIdentifier = originalName
        relationship.versionHashModifier = hashModifier
        return relationship
    }
}

extension DeclaredProperty {
    /// Creates a to-one relationship.
    ///
    /// - Parameters:
    ///   - key: The typed key, with the name and the class of the destination.
    ///   - isOptional: Whether an object may be saved without a destination.
    ///   - defaultValue: Unused: a relationship has no default.
    ///   - deleteRule: What happens to the destination when the object is deleted.
    ///   - inverse: The name of the inverse; `nil` for the only possible one of the destination.
    ///   - inverseOwner: The class that has the inverse: that of the destination, or one that it inherits; `nil` for
    ///     either.
    ///   - originalName: The name that it had in an earlier version of the model.
    ///   - hashModifier: Text that makes the version hash differ where nothing else does.
    public init<D: ManagedObject>(
        _ key: ToOne<D>, isOptional: Bool, default defaultValue: D? = nil, deleteRule: DeleteRule = .nullify, inverse: String? = nil,
        of inverseOwner: ManagedObject.Type? = nil, originalName: String? = nil, hashModifier: String? = nil
    ) {
        self.init(
            DeclaredRelationship(
                name: key.path, cardinality: .toOne, destination: D.self, inverse: inverse, inverseOwner: inverseOwner,
                isOptional: isOptional, deleteRule: deleteRule,
                minCount: 0, maxCount: nil, originalName: originalName, hashModifier: hashModifier))
    }

    /// Creates a to-many relationship, ordered by an ordered key; it may be empty by default.
    ///
    /// - Parameters:
    ///   - key: The typed key, with the name and the class of the destinations.
    ///   - isOptional: Whether the property is an optional, which only version hashes of SwiftData's stores depend on.
    ///   - defaultValue: Unused: a relationship has no default.
    ///   - deleteRule: What happens to the destinations when the object is deleted.
    ///   - inverse: The name of the inverse; `nil` for the only possible one of the destination.
    ///   - inverseOwner: The class that has the inverse: that of the destinations, or one that it inherits; `nil` for
    ///     either.
    ///   - minimumModelCount: The least number of destinations; 0 for any.
    ///   - maximumModelCount: The greatest number of destinations; 0 for any.
    ///   - originalName: The name that it had in an earlier version of the model.
    ///   - hashModifier: Text that makes the version hash differ where nothing else does.
    public init<K: ToManyKey>(
        _ key: K, isOptional: Bool, default defaultValue: [K.Destination]? = nil, deleteRule: DeleteRule = .nullify,
        inverse: String? = nil, of inverseOwner: ManagedObject.Type? = nil, minimumModelCount: Int = 0, maximumModelCount: Int = 0,
        originalName: String? = nil, hashModifier: String? = nil
    ) {
        self.init(
            DeclaredRelationship(
                name: key.path, cardinality: K.cardinality, destination: K.Destination.self, inverse: inverse,
                inverseOwner: inverseOwner, isOptional: minimumModelCount == 0, isRequiredInSwiftData: !isOptional,
                deleteRule: deleteRule, minCount: minimumModelCount, maxCount: maximumModelCount, originalName: originalName,
                hashModifier: hashModifier))
    }
}
