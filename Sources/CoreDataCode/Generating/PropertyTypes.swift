import StrataModel
import StrataModelFiles

/// The types that Xcode gives properties.
enum PropertyTypes {
    /// The type of an attribute's property.
    static func type(_ attribute: Attribute, _ element: ModelDocument.Element?) throws(ModelFileError) -> String {
        let isScalar = element?["usesScalarValueType"]?.uppercased() == "YES"
        switch attribute.type {
        case .integer16: return isScalar ? "Int16" : "NSNumber?"
        case .integer32: return isScalar ? "Int32" : "NSNumber?"
        case .integer64: return isScalar ? "Int64" : "NSNumber?"
        case .double: return isScalar ? "Double" : "NSNumber?"
        case .float: return isScalar ? "Float" : "NSNumber?"
        case .boolean: return isScalar ? "Bool" : "NSNumber?"
        case .date: return isScalar ? "TimeInterval" : "Date?"
        case .string: return "String?"
        case .decimal: return "NSDecimalNumber?"
        case .binary: return "Data?"
        case .uuid: return "UUID?"
        case .uri: return "URL?"
        case .composite: return "[String: Any]?"
        case .undefined: return "NSObject?"
        case .transformable:
            guard let custom = element?["customClassName"], !custom.isEmpty else { return "NSObject?" }
            var cursor = TokenCursor(TokenizedSource(SourceFile(path: "", text: custom)))
            // Nothing but the name of a type may get into the code.
            guard cursor.takeType() != nil, cursor.isAtEnd, !custom.contains("/") else {
                throw ModelFileError(.noCode, line: element?.line, "the class \"\(custom)\" is not the name of a Swift type")
            }
            return custom + "?"
        }
    }

    static func type(_ relationship: Relationship, destination: String) -> String {
        switch relationship.cardinality {
        case .toOne: destination + "?"
        case .toMany: "NSSet?"
        case .ordered: "NSOrderedSet?"
        }
    }
}
