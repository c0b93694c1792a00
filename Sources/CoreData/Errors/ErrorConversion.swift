import Strata
import StrataCoordinator
import StrataFiles
import StrataFoundation
import StrataGraph
import StrataModel
import StrataQuery
import StrataSQLite
import StrataStore

/// Converts an error of the graph or the stores to Core Data's: in Cocoa's domain, with Core Data's code and user info,
/// and the cause under `NSUnderlyingErrorKey`.
///
/// Other errors, `NSError`s among them, are returned unchanged.
///
/// - Parameter graph: The context that the error comes from, whose objects it names.
func cocoaError(_ error: any Error, in graph: ManagedObjectContext? = nil) -> NSError {
    switch error {
    case let error as ValidationError: error.cocoa(in: graph)
    case let failure as ValidationFailure: failure.cocoa(in: graph)
    case let error as SaveConflictError: error.cocoa(in: graph)
    case let error as StoreError: error.cocoa
    case is CancellationError: cocoaError(NSUserCancelledError, error, [:])
    case let error as FetchedResultsError: cocoaError(NSCoreDataError, error, [NSLocalizedFailureReasonErrorKey: error.description])
    case let error as FileError: error.cocoa(error.path)
    case let error as ModelError: error.cocoa()
    case let error as MappingError: error.cocoa()
    case let error as QueryError: error.cocoa()
    case let error as QueryFormatError: error.cocoa()
    case let error as BatchInsertError: error.cocoa()
    case let error as UnstableSaveError: error.cocoa()
    default: error as NSError
    }
}

/// Returns an error of Core Data with an underlying error, and user info in addition to the description.
func cocoaError(_ code: Int, _ cause: any Error, _ info: [String: Any], path: String? = nil) -> NSError {
    var info = info
    info[NSFilePathErrorKey] = path
    info[NSLocalizedDescriptionKey] = ErrorDescriptions.other(code, path)
    info[NSUnderlyingErrorKey] = cause as NSError
    return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: info)
}

extension CustomNSError where Self: CustomStringConvertible {
    /// Returns Core Data's error with the code and the description alone.
    fileprivate func cocoa(_ path: String? = nil) -> NSError {
        cocoaError(errorCode, self, [NSLocalizedFailureReasonErrorKey: description], path: path)
    }
}

extension StoreError {
    fileprivate var cocoa: NSError {
        var info: [String: Any] = [:]
        let failure = underlying as? SQLiteFailure
        if let failure { info[NSSQLiteErrorDomain] = NSNumber(value: failure.code) }
        // Core Data reports a file of another format as a corrupt one, which programs check for.
        let code =
            switch cocoaCode {
            case _ where self.code == .foreign: NSFileReadCorruptFileError
            case NSCoreDataError where failure != nil: NSSQLiteError
            default: cocoaCode
            }
        switch code {
        case NSPersistentStoreIncompatibleVersionHashError:
            info["reason"] = "The model used to open the store is incompatible with the one used to create the store"
            info["metadata"] = metadata.map { StoreInformation.dictionary(of: $0) }
        case NSMigrationError, NSMigrationMissingMappingModelError, NSMigrationMissingSourceModelError, NSEntityMigrationPolicyError:
            info["reason"] = message
        default: info[NSLocalizedFailureReasonErrorKey] = message
        }
        return cocoaError(code, self, info, path: path)
    }
}

extension ValidationError {
    /// Returns the error of a single failure, or one with all as detailed errors.
    func cocoa(in graph: ManagedObjectContext?) -> NSError {
        let errors = failures.map { $0.cocoa(in: graph) }
        if let error = errors.first, errors.count == 1 { return error }
        return NSError(
            domain: NSCocoaErrorDomain, code: NSValidationMultipleErrorsError,
            userInfo: [
                NSDetailedErrorsKey: errors,
                NSLocalizedDescriptionKey: ErrorDescriptions.validation(NSValidationMultipleErrorsError, nil),
                NSUnderlyingErrorKey: self as NSError,
            ])
    }
}

extension ValidationFailure {
    func cocoa(in graph: ManagedObjectContext?) -> NSError {
        // The error of an object's own method is reported unchanged.
        if let thrown { return cocoaError(thrown, in: graph) }
        var info: [String: Any] = [NSUnderlyingErrorKey: self as NSError]
        info[NSValidationObjectErrorKey] = graph?.registeredObject(for: objectID) ?? NSManagedObjectID(objectID)
        info[NSValidationKeyErrorKey] = key
        info[NSValidationValueErrorKey] = shownValue
        let broken = numberedPredicate ?? brokenPredicate
        let code = broken?.warning as? Int ?? cocoaCode
        info[NSValidationPredicateErrorKey] = broken?.predicate
        info[NSLocalizedDescriptionKey] = broken?.warning as? String ?? (key == nil ? message : ErrorDescriptions.validation(code, key))
        return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: info)
    }

    private var attribute: AttributeDescription? { key.flatMap { objectID.entity.attribute(named: $0) } }

    /// The value; nil for relationships, whose failures have a count.
    private var shownValue: Any? {
        switch rule {
        case .relationshipLacksMinimumCount, .relationshipExceedsMaximumCount, .relationshipDeniedDelete: nil
        default: Boxing.boxed(value, attribute?.type)
        }
    }

    /// The model's predicate that is not met, and its validation warning.
    private var brokenPredicate: (predicate: NSPredicate, warning: Any?)? {
        guard let attribute else { return nil }
        let (predicates, warnings) = ValidationRules.predicates(of: attribute.declaration.validation, attribute.type)
        for (predicate, warning) in zip(predicates, warnings) {
            if let text = warning as? String {
                if rule == .custom && text == message { return (predicate, text) }
            } else if let code = warning as? NSNumber, code.intValue == cocoaCode, rule != .custom || predicates.count == 1 {
                return (predicate, nil)
            }
        }
        return nil
    }

    /// The predicate that is not met if it is a condition with a number in the model's description.
    private var numberedPredicate: (predicate: NSPredicate, warning: Any?)? {
        guard rule == .custom, let key, let attribute = Counterparts.entity(of: objectID.entity)?.attributesByName[key] else { return nil }
        for (predicate, warning) in zip(attribute.validationPredicates, attribute.validationWarnings) {
            // The reason of a condition without a text of its own ends with the condition.
            guard let number = (warning as? NSNumber)?.intValue, let format = try? predicate.tree().predicateFormat,
                message.hasSuffix(" \(format)")
            else { continue }
            return (predicate, number)
        }
        return nil
    }
}

extension SaveConflictError {
    /// Returns the error of Core Data, with a list of ``NSMergeConflict``s or ``NSConstraintConflict``s.
    func cocoa(in graph: ManagedObjectContext?) -> NSError {
        let objects = ConflictingObjects(graph)
        let isConstraint = cocoaCode == NSManagedObjectConstraintMergeError
        let list: [Any] =
            isConstraint
            ? constraintConflicts.map { NSConstraintConflict($0, objects) } : conflicts.compactMap { NSMergeConflict($0, objects) }
        return cocoaError(cocoaCode, self, [NSPersistentStoreSaveConflictsErrorKey: list])
    }
}

extension NSMergeConflict {
    /// `nil` if the object's context was deallocated.
    fileprivate convenience init?(_ conflict: SaveConflictError.Conflict, _ objects: ConflictingObjects) {
        guard let object = objects.object(conflict.objectID) else { return nil }
        self.init(
            source: object, newVersion: Int(conflict.newVersionNumber), oldVersion: Int(conflict.oldVersionNumber),
            cachedSnapshot: conflict.newVersionNumber == 0 ? nil : conflict.persistedSnapshot.map(Boxing.snapshot), persistedSnapshot: nil)
    }
}

extension NSConstraintConflict {
    fileprivate convenience init(_ conflict: ConstraintConflict, _ objects: ConflictingObjects) {
        self.init(
            constraint: conflict.constraint, database: objects.object(conflict.databaseObjectID),
            databaseSnapshot: conflict.databaseSnapshot.map(Boxing.snapshot),
            conflicting: conflict.conflictingObjectIDs.compactMap { objects.object($0) },
            conflictingSnapshots: conflict.conflictingSnapshots.map(Boxing.snapshot))
    }
}
