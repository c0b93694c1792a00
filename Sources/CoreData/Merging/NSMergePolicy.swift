import StrataCoordinator
import StrataGraph
import StrataModel

/// How changes are resolved that conflict with other saves, or with a uniqueness constraint.
///
/// A subclass overrides ``resolve(optimisticLockingConflicts:)`` or ``resolve(constraintConflicts:)``, changes the
/// objects, and calls the superclass's, whose merge type decides then.
// Unchecked: all that it holds is a constant.
open class NSMergePolicy: NSObject, @unchecked Sendable {
    /// Which of the five built-in policies it is, or stands on.
    public final let mergeType: NSMergePolicyType

    /// Creates a policy of a kind.
    public init(merge ty: NSMergePolicyType) { mergeType = ty }

    /// The save fails.
    public static let error = NSMergePolicy(merge: .errorMergePolicyType)
    /// The object wins as a whole.
    public static let overwrite = NSMergePolicy(merge: .overwriteMergePolicyType)
    /// The store wins as a whole.
    public static let rollback = NSMergePolicy(merge: .rollbackMergePolicyType)
    /// Property by property, the store's changes win.
    public static let mergeByPropertyStoreTrump = NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
    /// Property by property, the object's changes win.
    public static let mergeByPropertyObjectTrump = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)

    /// Resolves conflicts of both kinds.
    ///
    /// - Throws: An error that fails the save.
    open func resolve(mergeConflicts list: [Any]) throws {
        let locking = list.compactMap { $0 as? NSMergeConflict }
        let constraints = list.compactMap { $0 as? NSConstraintConflict }
        if !locking.isEmpty { try resolve(optimisticLockingConflicts: locking) }
        if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
    }

    /// Resolves conflicts with changes and deletions by other saves.
    ///
    /// - Throws: An error that fails the save.
    open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        if mergeType == .errorMergePolicyType { throw conflictError(NSManagedObjectMergeError, list) }
    }

    /// Resolves conflicts of objects with the values of others in unique properties.
    ///
    /// - Throws: An error that fails the save.
    open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        if mergeType == .errorMergePolicyType { throw conflictError(NSManagedObjectConstraintMergeError, list) }
    }

    private func conflictError(_ code: Int, _ conflicts: [Any]) -> NSError {
        NSError(
            domain: NSCocoaErrorDomain, code: code,
            userInfo: [NSPersistentStoreSaveConflictsErrorKey: conflicts, NSLocalizedDescriptionKey: "Could not merge changes."])
    }

    /// Returns the graph's policy for a context's `mergePolicy`.
    static func policy(_ given: Any, of context: ManagedObjectContext? = nil) -> MergePolicy {
        guard let policy = given as? NSMergePolicy else {
            programmerError("mergePolicy takes an NSMergePolicy, not a value of type \(type(of: given))")
        }
        let builtIn = policy.builtIn
        if type(of: policy) == NSMergePolicy.self { return builtIn }
        let objects = ConflictingObjects(context)
        return MergePolicy("\(type(of: policy))") { conflict in
            if case .constraint = conflict.reason {
                try policy.resolve(constraintConflicts: [NSConstraintConflict(conflict, objects)])
            } else {
                try policy.resolve(optimisticLockingConflicts: [NSMergeConflict(conflict, objects)])
            }
            return builtIn.resolution ?? .error
        }
    }

    private var builtIn: MergePolicy {
        switch mergeType {
        case .mergeByPropertyStoreTrumpMergePolicyType: .mergeByPropertyStoreTrump
        case .mergeByPropertyObjectTrumpMergePolicyType: .mergeByPropertyObjectTrump
        case .overwriteMergePolicyType: .overwrite
        case .rollbackMergePolicyType: .rollback
        default: .error
        }
    }
}

/// Core Data's global names of the built-in policies.
public let NSErrorMergePolicy: NSMergePolicy = .error
/// Property by property, the store's changes win.
public let NSMergeByPropertyStoreTrumpMergePolicy: NSMergePolicy = .mergeByPropertyStoreTrump
/// Property by property, the object's changes win.
public let NSMergeByPropertyObjectTrumpMergePolicy: NSMergePolicy = .mergeByPropertyObjectTrump
/// The object wins as a whole.
public let NSOverwriteMergePolicy: NSMergePolicy = .overwrite
/// The store wins as a whole.
public let NSRollbackMergePolicy: NSMergePolicy = .rollback

/// Finds the objects of the context whose save conflicts.
// Unchecked: the save calls the policy on the context's own queue.
final class ConflictingObjects: @unchecked Sendable {
    weak let context: ManagedObjectContext?

    init(_ context: ManagedObjectContext?) { self.context = context }

    func object(_ id: ObjectID?) -> NSManagedObject? {
        id.flatMap { id in context?.registeredObject(for: id) ?? context?.object(with: id) } as? NSManagedObject
    }
}

/// An object that someone else changed or deleted since it was read.
// Unchecked: it is made for the queue of its object's context, and never changes.
public final class NSMergeConflict: NSObject, @unchecked Sendable {
    /// The object that is saved.
    public let sourceObject: NSManagedObject
    /// The values that it has.
    public let objectSnapshot: [String: Any]?
    /// The values that its coordinator has, which stand against the object's; `nil` where it was deleted.
    public let cachedSnapshot: [String: Any]?
    /// The values in the store, if they differ from the coordinator's: `nil` in every conflict that a save finds, as
    /// these are reported as conflicts of a context with its coordinator.
    public let persistedSnapshot: [String: Any]?
    /// The version that it has in its store; 0 where it was deleted.
    public let newVersionNumber: Int
    /// The version that it was read with.
    public let oldVersionNumber: Int

    /// Creates a conflict with the given values.
    public init(
        source srcObject: NSManagedObject, newVersion newvers: Int, oldVersion oldvers: Int, cachedSnapshot cachesnap: [String: Any]?,
        persistedSnapshot persnap: [String: Any]?
    ) {
        sourceObject = srcObject
        objectSnapshot = srcObject.dictionaryWithValues(forKeys: srcObject.snapshotKeys)
        cachedSnapshot = cachesnap
        persistedSnapshot = persnap
        newVersionNumber = newvers
        oldVersionNumber = oldvers
    }

    convenience init(_ conflict: MergeConflict, _ objects: ConflictingObjects) {
        guard let object = objects.object(conflict.objectID) else {
            programmerError("a conflict of \(conflict.entity.name) is of no object of the context that saves")
        }
        self.init(
            source: object, newVersion: Int(conflict.newVersionNumber), oldVersion: Int(conflict.oldVersionNumber),
            cachedSnapshot: conflict.newVersionNumber == 0 ? nil : Boxing.snapshot(conflict.stored), persistedSnapshot: nil)
    }
}

/// Objects that have the same values where a uniqueness constraint allows one.
// Unchecked: it is made for the queue of its objects' context, and never changes.
public final class NSConstraintConflict: NSObject, @unchecked Sendable {
    /// The names of the attributes.
    public let constraint: [String]
    /// The values that they have.
    public let constraintValues: [String: Any]
    /// The object that has them in the store; `nil` where only objects of the context conflict.
    public let databaseObject: NSManagedObject?
    /// That object's values.
    public let databaseSnapshot: [String: Any]?
    /// The objects of the context.
    public let conflictingObjects: [NSManagedObject]
    /// Their values.
    public let conflictingSnapshots: [[String: Any]]

    /// Creates a conflict with the given values.
    public init(
        constraint contraint: [String], database databaseObject: NSManagedObject?, databaseSnapshot: [String: Any]?,
        conflicting conflictingObjects: [NSManagedObject], conflictingSnapshots: [Any]
    ) {
        constraint = contraint
        self.databaseObject = databaseObject
        self.databaseSnapshot = databaseSnapshot
        self.conflictingObjects = conflictingObjects
        self.conflictingSnapshots = conflictingSnapshots.compactMap { $0 as? [String: Any] }
        constraintValues = conflictingObjects.first?.dictionaryWithValues(forKeys: contraint) ?? [:]
    }

    convenience init(_ conflict: MergeConflict, _ objects: ConflictingObjects) {
        guard case .constraint(let names) = conflict.reason else { programmerError("no constraint is in conflict") }
        self.init(
            constraint: names, database: objects.object(conflict.otherID), databaseSnapshot: Boxing.snapshot(conflict.stored),
            conflicting: [objects.object(conflict.objectID)].compactMap(\.self),
            conflictingSnapshots: [Boxing.snapshot(conflict.values)])
    }
}

extension Boxing {
    /// Returns values by name for Core Data's clients; nil is an `NSNull`.
    static func snapshot(_ values: [String: Value]) -> [String: Any] { values.mapValues { boxed($0) ?? NSNull() } }
}

extension NSManagedObject {
    /// The names in a snapshot of the object: attributes and to-one relationships.
    var snapshotKeys: [String] {
        (self as ManagedObject).entity.properties.compactMap { property in
            switch property {
            case .attribute(let attribute): attribute.isTransient ? nil : attribute.compositeName ?? attribute.name
            case .relationship(let relationship): relationship.isToMany || relationship.isHidden ? nil : relationship.name
            }
        }
    }
}
