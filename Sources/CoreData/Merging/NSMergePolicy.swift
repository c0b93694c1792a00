public import Foundation
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
            userInfo: [
                NSPersistentStoreSaveConflictsErrorKey: conflicts,
                NSLocalizedDescriptionKey: "Could not merge changes.",
            ])
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

extension NSMergePolicy {
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
