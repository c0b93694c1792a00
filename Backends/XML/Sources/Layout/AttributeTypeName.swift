import StrataModel

enum AttributeTypeName {
    static func name(_ type: AttributeType) -> StaticString {
        switch type {
        case .integer16: "int16"
        case .integer32: "int32"
        case .integer64: "int64"
        case .boolean: "bool"
        case .float: "float"
        case .double: "double"
        case .decimal: "decimal"
        case .date: "date"
        case .string: "string"
        case .uri: "uri"
        case .uuid: "uuid"
        case .binary: "binary"
        case .transformable, .undefined, .composite: "transformable"
        }
    }

    /// The type of an attribute whose value is in a file of its own.
    static let external: StaticString = "external"

    /// Returns whether values of one type in the file can be read as another: numbers of any width, any bytes.
    static func isReadable(_ name: UnsafeRawBufferPointer, as type: AttributeType) -> Bool {
        if unsafe name.elementsEqual(bytes(self.name(type))) { return true }
        let alternatives: [AttributeType] =
            switch type {
            case .integer16, .integer32, .integer64: [.integer16, .integer32, .integer64]
            case .float, .double, .decimal: [.integer16, .integer32, .integer64, .float, .double, .decimal]
            case .binary, .transformable: [.binary, .transformable]
            default: []
            }
        return alternatives.contains { unsafe name.elementsEqual(bytes(self.name($0))) }
    }

    static func bytes(_ text: StaticString) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}
