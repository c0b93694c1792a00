import FoundationEssentials

extension AttributeType {
    /// Returns whether every value of this type converts to another one without loss.
    func isLossless(to other: AttributeType) -> Bool {
        switch (self, other) {
        case _ where self == other: true
        case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64): true
        case (.boolean, .integer16), (.boolean, .integer32), (.boolean, .integer64): true
        case (.integer16, .float), (.integer16, .double), (.integer32, .double), (.float, .double): true
        case (.integer16, .decimal), (.integer32, .decimal), (.integer64, .decimal): true
        case (.uri, .string), (.uuid, .string): true
        default: false
        }
    }

    /// Converts a value of a type that converts without loss to this one.
    package func converted(_ value: Value) -> Value? {
        switch (self, value) {
        case (.string, .uuid(let uuid)): .string(uuid.uuidString)
        default: coerce(value)
        }
    }
}
