import StrataModel
import StrataStore

/// Makes the objects of one entity mapping, in seven steps, which a subclass extends.
///
/// ```swift
/// final class SplitName: NSEntityMigrationPolicy {
///     override func createDestinationInstances(
///         forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
///     ) throws {
///         try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
///         let words = (sInstance.value(forKey: "name") as? String ?? "").split(separator: " ")
///         for person in manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance]) {
///             person.setValue(words.last.map(String.init), forKey: "familyName")
///         }
///     }
/// }
/// ```
/// A policy is made for each entity mapping that names it, and is called on the thread that migrates. All mappings run
/// the first three steps, then all the next two, then all the last two. An error of any step ends the migration.
///
/// A subclass with an initializer of its own without arguments marks it `required`: the Objective-C run time, which
/// could call another one, is missing.
open class NSEntityMigrationPolicy: NSObject {
    /// Creates a policy at the beginning of a migration.
    public required override init() { super.init() }

    /// The first step: before any object of the mapping is made.
    ///
    /// - Throws: Nothing by default; an override's error ends the migration, as in all steps.
    open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

    /// The second step, for each object of the source: creates an object of the destination, sets the attributes that
    /// the mapping specifies, and associates the two with the manager.
    ///
    /// A policy that creates no object omits the source's; one that creates several associates each.
    ///
    /// - Throws: An `NSError` if an expression cannot be computed, or its value does not fit the attribute.
    open func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        guard mapping.destinationEntityName != nil else { return }
        let object = try MappedObject.insert(mapping, manager)
        try MappedObject(object, of: sInstance, mapping, manager, self).fillAttributes()
        manager.associate(sourceInstance: sInstance, withDestinationInstance: object, for: mapping)
    }

    /// The third step: after all objects of the mapping are made.
    ///
    /// - Throws: As ``begin(_:with:)``.
    open func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// The fourth step, for each new object made of a source object: sets its relationships by the mapping.
    ///
    /// - Throws: An `NSError` if an expression's value is not objects of the destination.
    open func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        let sources = manager.sourceInstances(forEntityMappingName: mapping.name ?? "", destinationInstances: [dInstance])
        guard let source = sources.first else { return }
        try MappedObject(dInstance, of: source, mapping, manager, self).fillRelationships()
    }

    /// The fifth step: after all objects of the mapping are related.
    ///
    /// - Throws: As ``begin(_:with:)``.
    open func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// The sixth step: validates the new objects, after all mappings.
    ///
    /// The model's own rules are checked afterwards.
    ///
    /// - Throws: As ``begin(_:with:)``.
    open func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// The seventh step: the last of the mapping.
    ///
    /// - Throws: As ``begin(_:with:)``.
    open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Computes a mapping's expression such as `FUNCTION($entityPolicy, "toUpper:", $source.name)`.
    ///
    /// The policy's method of that name is called where it has `@objc`, and its target the plugin `CoreDataClasses`: methods with a
    /// result and labels of any kind. For others, as private ones, a policy overrides this one:
    ///
    /// ```swift
    /// override func value(forSelector selector: String, arguments: [Any?], manager: NSMigrationManager) throws -> Any? {
    ///     switch selector {
    ///     case "toUpper:": (arguments.first as? String)?.uppercased()
    ///     default: try super.value(forSelector: selector, arguments: arguments, manager: manager)
    ///     }
    /// }
    /// ```
    /// - Parameters:
    ///   - selector: The name in the expression.
    ///   - arguments: The other arguments: values as of `value(forKey:)`.
    ///   - manager: The migration.
    /// - Returns: A value for `setValue(_:forKey:)`.
    /// - Throws: What the method throws; an `NSError` where there is none.
    open func value(forSelector selector: String, arguments: [Any?], manager: NSMigrationManager) throws -> Any? {
        if let function = ManagedFunction.named(selector, of: self) { return try function.call(self, arguments) }
        throw MigrationErrors.meaningless(
            manager.currentEntityMapping,
            "the policy \(type(of: self)) does not answer \(selector): override value(forSelector:arguments:manager:) for it")
    }
}
