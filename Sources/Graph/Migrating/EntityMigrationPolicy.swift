public import StrataModel
import StrataStore

/// Makes the objects of one entity mapping, in seven steps: the standard policy does what the mapping says, and a
/// subclass more.
///
/// ```swift
/// final class SplitName: EntityMigrationPolicy {
///     override func createDestinationInstances(
///         forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
///     ) throws {
///         try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
///         let words = (try source.value(forKey: "name") as? String ?? "").split(separator: " ")
///         for person in manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [source]) {
///             try person.setValue(words.last.map(String.init), forKey: "familyName")
///         }
///     }
/// }
/// ```
/// A policy is made for each entity mapping that names it, and is called on the thread that migrates. All mappings go
/// through the first three steps, then all through the next two, then all through the last two, as Core Data has it:
/// ``begin(_:manager:)``, ``createDestinationInstances(forSource:in:manager:)`` for each object,
/// ``endInstanceCreation(forMapping:manager:)``; ``createRelationships(forDestination:in:manager:)`` for each new
/// object, ``endRelationshipCreation(forMapping:manager:)``; ``performCustomValidation(forMapping:manager:)``,
/// ``end(_:manager:)``. Whatever one of them throws ends the migration, and the store stays as it was.
///
/// Objects are plain managed objects on both sides: an entity's class is one version's, and is not asked. What the
/// objects hold is reached by `value(forKey:)` and `setValue(_:forKey:)`.
open class EntityMigrationPolicy {
    /// Creates a policy, made at the beginning of a migration.
    public required init() {}

    /// The first step: before any object of the mapping is made.
    ///
    /// - Throws: Nothing by itself.
    open func begin(_ mapping: EntityMapping, manager: MigrationManager) throws {}

    /// The second step, for each source object: creates a destination object, sets its mapped attributes, and
    /// associates the two.
    ///
    /// A policy that creates no object drops the source's; one that creates several associates each.
    ///
    /// - Throws: `StoreError` where an expression cannot be computed, or its value does not fit the attribute.
    open func createDestinationInstances(forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager) throws {
        guard let entity = mapping.destination else { return }
        let object = try manager.destinationContext.insert(entity)
        try manager.fillAttributes(of: object, from: source, mapping, policy: self)
        manager.associate(sourceInstance: source, withDestinationInstance: object, for: mapping)
    }

    /// The third step: after all objects of the mapping are made.
    ///
    /// - Throws: Nothing by itself.
    open func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

    /// The fourth step, for each new object with a source: sets its relationships, as mapped.
    ///
    /// - Throws: `StoreError` where an expression does not yield objects of the destination.
    open func createRelationships(forDestination object: ManagedObject, in mapping: EntityMapping, manager: MigrationManager) throws {
        try manager.fillRelationships(of: object, mapping, policy: self)
    }

    /// The fifth step: after all objects of the mapping are related.
    ///
    /// - Throws: Nothing by itself.
    open func endRelationshipCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

    /// The sixth step: validates the new objects, after all mappings are done; the model's rules are checked
    /// afterwards.
    ///
    /// - Throws: Nothing by itself.
    open func performCustomValidation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {}

    /// The seventh step: the last of the mapping.
    ///
    /// - Throws: Nothing by itself.
    open func end(_ mapping: EntityMapping, manager: MigrationManager) throws {}

    /// What a mapping's expression `FUNCTION($entityPolicy, "selector:", …)` computes.
    ///
    /// ```swift
    /// override func value(forSelector selector: String, arguments: [Any?], manager: MigrationManager) throws -> Any? {
    ///     guard selector == "initialsOf:", let person = arguments.first as? ManagedObject else {
    ///         return try super.value(forSelector: selector, arguments: arguments, manager: manager)
    ///     }
    ///     return (try person.value(forKey: "name") as? String)?.first.map(String.init)
    /// }
    /// ```
    /// - Parameters:
    ///   - selector: The name that the expression has.
    ///   - arguments: What the other arguments are: values as `value(forKey:)` gives them, objects, arrays of objects.
    ///   - manager: The migration.
    /// - Returns: What `setValue(_:forKey:)` takes for the property.
    /// - Throws: `StoreError` with `unsupported` by itself: a policy that is asked has to answer.
    open func value(forSelector selector: String, arguments: [Any?], manager: MigrationManager) throws -> Any? {
        throw StoreError(.unsupported, .migrate, "the policy \(type(of: self)) does not answer \(selector)")
    }
}
