import StrataModel

/// The types of properties that fit attributes.
enum AttributeFit {
    /// Returns whether a non-optional type fits an attribute's.
    static func fits(_ attribute: AttributeType, _ type: ResolvedType, isDeclared: (NominalName) -> Bool) -> Bool {
        guard let name = type.nominalName else { return [.transformable, .undefined].contains(attribute) }
        // The raw values of a type of the sources are unknown.
        if isDeclared(name), name.kind != .class { return true }
        let library = ["Swift", "Foundation", "FoundationEssentials"].contains(name.module) ? name.path : ""
        switch attribute {
        case .integer16, .integer32, .integer64: return integers.contains(library) || library == "NSNumber"
        case .double, .float: return ["Double", "Float", "CGFloat", "NSNumber"].contains(library)
        case .boolean: return ["Bool", "NSNumber"].contains(library)
        case .decimal: return ["Decimal", "NSDecimalNumber", "NSNumber"].contains(library)
        case .string: return ["String", "NSString"].contains(library)
        case .date: return ["Date", "NSDate", "Double"].contains(library)
        case .binary: return ["Data", "NSData"].contains(library)
        case .uuid: return ["UUID", "NSUUID"].contains(library)
        case .uri: return ["URL", "NSURL"].contains(library)
        case .composite: return ["Dictionary", "NSDictionary"].contains(library)
        case .transformable, .undefined: return true
        }
    }

    private static let integers: Set<String> = ["Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64"]

    /// Returns the name of an attribute's type, as Xcode shows it.
    static func name(_ type: AttributeType) -> String {
        switch type {
        case .integer16: "Integer 16"
        case .integer32: "Integer 32"
        case .integer64: "Integer 64"
        case .double: "Double"
        case .float: "Float"
        case .boolean: "Boolean"
        case .decimal: "Decimal"
        case .string: "String"
        case .date: "Date"
        case .binary: "Binary Data"
        case .uuid: "UUID"
        case .uri: "URI"
        case .composite: "Composite"
        case .transformable: "Transformable"
        case .undefined: "Undefined"
        }
    }
}
