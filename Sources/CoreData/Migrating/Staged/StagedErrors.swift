import Foundation
import StrataModel
import StrataStore

/// The errors of staged migrations.
enum StagedErrors {
    static func noModel(_ text: String) -> NSError {
        error(NSManagedObjectModelReferenceNotFoundError, "There is no managed object model \(text).")
    }

    static func checksum(_ text: String, _ model: NSManagedObjectModel, _ given: String) -> NSError {
        error(
            NSManagedObjectModelReferenceNotFoundError,
            "The managed object model \(text) has the version checksum \(model.versionChecksum), and not \(given).")
    }

    static func unknownVersion(_ path: String?) -> NSError {
        error(NSManagedObjectModelReferenceNotFoundError, "Cannot use staged migration with an unknown model version.", path)
    }

    static func unknownCoordinatorVersion(_ path: String?) -> NSError {
        error(NSManagedObjectModelReferenceNotFoundError, "Cannot use staged migration with an unknown coordinator model version.", path)
    }

    static func backward(_ path: String?) -> NSError {
        error(NSStagedMigrationBackwardMigrationError, "Cannot migrate a store backward with staged migration.", path)
    }

    private static func error(_ code: Int, _ text: String, _ path: String? = nil) -> NSError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: text]
        info[NSFilePathErrorKey] = path
        return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: info)
    }
}
