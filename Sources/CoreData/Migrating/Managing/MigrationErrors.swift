import Foundation
import StrataModel
import StrataStore

/// The errors of migrations other than the stores'.
enum MigrationErrors {
    /// Returns the error of a mapping that names something missing, or has a malformed expression.
    static func meaningless(_ mapping: NSEntityMapping, _ reason: String) -> NSError {
        let name = mapping.name ?? ""
        let entity = mapping.destinationEntityName ?? mapping.sourceEntityName ?? ""
        let cause = MappingError(.invalidExpression, entity: entity, "\(reason) (mapping \(name))")
        return cocoaError(NSMigrationError, cause, ["reason": "\(reason) (mapping \(name))"])
    }

    static func policy(_ mapping: NSEntityMapping, _ cause: NSError) -> NSError {
        let reason = "the entity mapping \(mapping.name ?? "") failed: \(cause.localizedDescription)"
        return cocoaError(NSEntityMigrationPolicyError, cause, ["reason": reason])
    }

    /// Returns the error of a missing mapping model between a store's version and the wanted one.
    static func missingMapping(_ url: URL?, _ reason: String) -> NSError {
        cocoaError(
            StoreError(.missingMapping, .migrate, reason, path: url?.path))
    }

    /// Returns the error of a failed migration, which left the store unchanged.
    static func failed(_ url: URL?, to destination: URL? = nil, _ cause: any Error) -> NSError {
        var info: [String: Any] = ["reason": (cause as NSError).localizedDescription]
        info["sourceURL"] = url
        info["destinationURL"] = destination
        return cocoaError(NSMigrationError, cause, info, path: url?.path)
    }
}
