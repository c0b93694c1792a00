public import Foundation
import StrataCoordinator
import StrataGraph
import StrataModel

/// How changes are resolved that conflict with other saves, or with a uniqueness constraint.
///
/// A subclass overrides ``resolve(optimisticLockingConflicts:)`` or ``resolve(constraintConflicts:)``, changes the objects, and calls the
/// superclass's, whose kind decides then.
// Unchecked: all that it holds is a constant.
open class NSMergePolicy: NSObject, @unchecked Sendable {
    /// Which of the five built-in policies it is, or stands on.
    public final let mergeType: NSMergePolicyType

    /// A policy of a kind.
    public init(merge ty: NSMergePolicyType) { mergeType = ty }

    /// The save fails.
    public static let error = NSMergePolicy(merge: .errorMergePolicyType)
    /// The object wins as a whole.
    public static let overwrite = NSMergePolicy(merge: .overwriteMergePolicyType)
    /// The store wins as a whole.
    public static let rollback = NSMergePolicy(merge: .rollbackMergePolicyType)
    /// Property by property, what the store has changed wins.
    public static let mergeByPropertyStoreTrump = NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
    /// Property by property, what the object has changed wins.
    public static let mergeByPropertyObjectTrump = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)

    /// Decides about conflicts of both kinds.
    ///
    /// - Throws: What makes the save fail.
    open func resolve(mergeConflicts list: [Any]) throws {
        let locking = list.compactMap { $0 as? NSMergeConflict }
        let constraints = list.compactMap { $0 as? NSConstraintConflict }
        if !locking.isEmpty { try resolve(optimisticLockingConflicts: locking) }
        if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
    }

    /// Decides about objects that others changed or deleted meanwhile.
    ///
    /// - Throws: What makes the save fail.
    open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        if mergeType == .errorMergePolicyType { throw conflictError(NSManagedObjectMergeError, list) }
    }

    /// Decides about objects that have the values of others where a constraint keeps these unique.
    ///
    /// - Throws: What makes the save fail.
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
/// What the store has changed wins, property by property.
public let NSMergeByPropertyStoreTrumpMergePolicy: NSMergePolicy = .mergeByPropertyStoreTrump
/// What the object has changed wins, property by property.
public let NSMergeByPropertyObjectTrumpMergePolicy: NSMergePolicy = .mergeByPropertyObjectTrump
/// The object wins as a whole.
public let NSOverwriteMergePolicy: NSMergePolicy = .overwrite
/// The store wins as a whole.
public let NSRollbackMergePolicy: NSMergePolicy = .rollback

extension NSMergePolicy {
    /// The graph's policy for what a context's `mergePolicy` was set to.
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
