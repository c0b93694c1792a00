import StrataModel

/// The types of properties that fit attributes.
enum AttributeFit {
    /// Returns whether a non-optional type fits an attribute's.
    static func fits(_ attribute: AttributeType, _ type: ResolvedType, isDeclared: (NominalName) -> Bool) -> Bool {
        guard let name = type.nominalName else { return [.transformable, .undefined].contains(attribute) }
        // The raw values of a type of the sources are unknown.
        if isDeclared(name), name.kind != .class { return true }
        guard let fitting = types[attribute]?.fitting else { return true }
        return name.isOfLibrary && fitting.contains(name.path)
    }

    /// Returns the name of an attribute's type, as Xcode shows it.
    static func name(_ type: AttributeType) -> String { types[type]?.name ?? "\(type)" }

    /// The types as Xcode shows them, and the types of the library that fit each; `nil` if all do.
    private static let types: [AttributeType: (name: String, fitting: Set<String>?)] = [
        .integer16: ("Integer 16", integers), .integer32: ("Integer 32", integers), .integer64: ("Integer 64", integers),
        .double: ("Double", fractions), .float: ("Float", fractions), .boolean: ("Boolean", ["Bool", "NSNumber"]),
        .decimal: ("Decimal", ["Decimal", "NSDecimalNumber", "NSNumber"]), .string: ("String", ["String", "NSString"]),
        .date: ("Date", ["Date", "NSDate", "Double"]), .binary: ("Binary Data", ["Data", "NSData"]), .uuid: ("UUID", ["UUID", "NSUUID"]),
        .uri: ("URI", ["URL", "NSURL"]), .composite: ("Composite", ["Dictionary", "NSDictionary"]),
        .transformable: ("Transformable", nil), .undefined: ("Undefined", nil),
    ]

    private static let integers: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "NSNumber",
    ]
    private static let fractions: Set<String> = ["Double", "Float", "CGFloat", "NSNumber"]
}
