import StrataModel
import StrataModelFiles

/// The types of properties in Xcode's classes.
extension PropertyType {
    init(_ kind: AccessorKind, _ name: String, isOptional: Bool = true) {
        self.init(kind: kind, text: name + (isOptional ? "?" : ""), isOptional: isOptional)
    }

    static func type(_ attribute: Attribute, _ element: ModelDocument.Element?) throws(ModelFileError) -> PropertyType {
        let isScalar = element?["usesScalarValueType"]?.uppercased() == "YES"
        func number(_ scalar: String) -> PropertyType {
            isScalar ? PropertyType(.value, scalar, isOptional: false) : PropertyType(.reference("NSNumber"), "NSNumber")
        }
        switch attribute.type {
        case .integer16: return number("Int16")
        case .integer32: return number("Int32")
        case .integer64: return number("Int64")
        case .double: return number("Double")
        case .float: return number("Float")
        case .boolean: return number("Bool")
        case .date: return isScalar ? PropertyType(.value, "TimeInterval", isOptional: false) : PropertyType(.value, "Date")
        case .string: return PropertyType(.value, "String")
        case .decimal: return PropertyType(.reference("NSDecimalNumber"), "NSDecimalNumber")
        case .binary: return PropertyType(.value, "Data")
        case .uuid: return PropertyType(.value, "UUID")
        case .uri: return PropertyType(.value, "URL")
        case .composite: return PropertyType(.any, "[String: Any]")
        case .undefined: return PropertyType(.any, "NSObject")
        case .transformable:
            guard let custom = element?["customClassName"], !custom.isEmpty else { return PropertyType(.any, "NSObject") }
            var cursor = TokenCursor(source: TokenizedSource(SourceFile(path: "", text: custom)))
            // Only the name of a type is inserted into the code.
            guard cursor.takeType() != nil, cursor.isAtEnd, !custom.contains("/") else {
                throw ModelFileError(.noCode, line: element?.line, "the class \"\(custom)\" is not the name of a Swift type")
            }
            return PropertyType(.any, custom)
        }
    }

    static func type(_ relationship: Relationship, destination: String) -> PropertyType {
        switch relationship.cardinality {
        case .toOne: PropertyType(.object, destination)
        case .toMany: PropertyType(.collection("NSSet"), "NSSet")
        case .ordered: PropertyType(.collection("NSOrderedSet"), "NSOrderedSet")
        }
    }
}
