import Foundation
import StrataGraph
import StrataModel
import StrataQuery

/// The names of the properties that Swift key paths reference.
enum KeyPathName {
    /// Returns the path of the property that a key path of a managed object references; throws for other key paths.
    static func name(of keyPath: AnyKeyPath) throws -> String {
        let path =
            switch keyPath {
            case let property as any QueryPath: property.path
            case let object as any QueryObject: path(of: object.expression)
            case let collection as any QueryCollection: path(of: collection.expression)
            case _ where type(of: keyPath).rootType is ManagedObject.Type: try KeyPathProbe.path(of: keyPath)
            default: plainName(keyPath)
            }
        guard let path else { throw refusal(keyPath, "it does not start at a managed object, or its type is not that of a property") }
        if let reason = QueryError.reason(ofPlaceholder: path) { throw refusal(keyPath, reason) }
        return path
    }

    private static func path(of expression: QueryExpression) -> String? {
        if case .keyPath(let path) = expression { path } else { "self" }
    }

    /// Returns the name of a stored property of a structure, from the key path's text.
    private static func plainName(_ keyPath: AnyKeyPath) -> String? {
        let text = "\(keyPath)"
        guard text.hasPrefix("\\"), !text.contains("<"), let dot = text.firstIndex(of: ".") else { return nil }
        let path = text[text.index(after: dot)...].replacing("?", with: "")
        return path.isEmpty ? nil : String(path)
    }

    private static func refusal(_ keyPath: AnyKeyPath, _ why: String) -> QueryError {
        QueryError(.computedProperty, entity: "\(type(of: keyPath).rootType)", subject: "\(keyPath)", why)
    }
}
