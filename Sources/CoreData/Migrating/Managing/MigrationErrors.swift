import StrataModel

/// The errors of migrations other than the stores'.
enum MigrationErrors {
    /// Returns the error of a mapping that names something missing, or has a malformed expression.
    static func meaningless(_ mapping: NSEntityMapping, _ reason: String) -> NSError {
        let name = mapping.name ?? ""
        let entity = mapping.destinationEntityName ?? mapping.sourceEntityName ?? ""
        let cause = MappingError(.invalidExpression, entity: entity, "\(reason) (mapping \(name))")
        return cocoaError(NSMigrationError, cause, ["reason": "\(reason) (mapping \(name))"])
    }

    /// Returns the error of a staged migration.
    static func staged(_ code: Int, _ text: String, path: String? = nil) -> NSError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: text]
        info[NSFilePathErrorKey] = path
        return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: info)
    }

    /// Returns the error of a failed migration, which left the store unchanged.
    static func failed(_ url: URL?, to destination: URL? = nil, _ cause: any Error) -> NSError {
        var info: [String: Any] = ["reason": (cause as NSError).localizedDescription]
        info["sourceURL"] = url
        info["destinationURL"] = destination
        return cocoaError(NSMigrationError, cause, info, path: url?.path)
    }
}
