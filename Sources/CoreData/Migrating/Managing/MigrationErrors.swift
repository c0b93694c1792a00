import Foundation
import StrataModel
import StrataStore

/// The errors of migrations that are no store's own.
enum MigrationErrors {
    /// A mapping that names something that is not there, or whose expression means nothing.
    static func meaningless(_ mapping: NSEntityMapping, _ reason: String) -> NSError {
        let name = mapping.name ?? ""
        let entity = mapping.destinationEntityName ?? mapping.sourceEntityName ?? ""
        let cause = MappingError(.invalidExpression, entity: entity, "\(reason) (mapping \(name))")
        return cocoaError(NSMigrationError, cause, ["reason": "\(reason) (mapping \(name))"])
    }

    /// What a policy threw.
    static func policy(_ mapping: NSEntityMapping, _ cause: NSError) -> NSError {
        let reason = "the entity mapping \(mapping.name ?? "") failed: \(cause.localizedDescription)"
        return cocoaError(NSEntityMigrationPolicyError, cause, ["reason": reason])
    }

    /// No mapping model leads from a store's version to the wanted one.
    static func missingMapping(_ url: URL?, _ reason: String) -> NSError {
        cocoaError(
            StoreError(.missingMapping, .migrate, reason, path: url?.path))
    }

    /// A migration of a store failed, and left it as it was.
    static func failed(_ url: URL?, to destination: URL? = nil, _ cause: any Error) -> NSError {
        var info: [String: Any] = ["reason": (cause as NSError).localizedDescription]
        info["sourceURL"] = url
        info["destinationURL"] = destination
        return cocoaError(NSMigrationError, cause, info, path: url?.path)
    }
}
