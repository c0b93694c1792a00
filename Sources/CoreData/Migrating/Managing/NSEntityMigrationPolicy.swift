public import Foundation
import StrataModel
import StrataStore

/// Makes the objects of one entity mapping, in seven steps: the standard policy does what the mapping says, and a subclass more.
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
/// A policy is made for each entity mapping that names it, and is called on the thread that migrates. All mappings go through the first
/// three steps, then all through the next two, then all through the last two. Whatever one of them throws ends the migration.
///
/// A subclass with an initializer of its own without arguments marks it `required`: there is no run time here that could call another one.
open class NSEntityMigrationPolicy: NSObject {
    /// A policy, made at the beginning of a migration.
    public required override init() { super.init() }

    /// The first step: before any object of the mapping is made.
    ///
    /// - Throws: Nothing by itself; an override ends the migration with what it throws, as in all steps.
    open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

    /// The second step, for each object of the source: makes an object of the destination, gives it the attributes that the mapping says,
    /// and tells the manager which became which.
    ///
    /// A policy that makes no object leaves the source's out; one that makes several associates each.
    ///
    /// - Throws: An `NSError` where an expression cannot be computed, or gives what the attribute does not take.
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

    /// The fourth step, for each new object that was made of one of the source: relates it to others, as the mapping says.
    ///
    /// - Throws: An `NSError` where an expression does not give objects of the destination.
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

    /// The sixth step: looks at what was made, after all mappings are through.
    ///
    /// The model's own rules are checked afterwards.
    ///
    /// - Throws: As ``begin(_:with:)``.
    open func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// The seventh step: the last of the mapping.
    ///
    /// - Throws: As ``begin(_:with:)``.
    open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// What a mapping's expression `FUNCTION($entityPolicy, "toUpper:", $source.name)` computes.
    ///
    /// On Apple's systems the policy's method of that name is called. There are no selectors here, so a policy overrides this one instead:
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
    ///   - selector: The name that the expression has.
    ///   - arguments: What the other arguments are: values as `value(forKey:)` gives them.
    ///   - manager: The migration.
    /// - Returns: What `setValue(_:forKey:)` takes for the property.
    /// - Throws: An `NSError` by itself: a policy that is asked has to answer.
    open func value(forSelector selector: String, arguments: [Any?], manager: NSMigrationManager) throws -> Any? {
        throw MigrationErrors.meaningless(
            manager.currentEntityMapping,
            "the policy \(type(of: self)) does not answer \(selector): override value(forSelector:arguments:manager:) for it")
    }
}
