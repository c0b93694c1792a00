import Foundation
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
