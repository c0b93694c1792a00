import StrataModel

/// A type that columns of a store have.
enum ColumnType: Sendable, Hashable {
    case bigint, integer, boolean, double, numeric, text, uuid, bytea

    /// The type of the column that holds what a slot does.
    init(_ kind: SlotKind) {
        self =
            switch kind {
            case .integer, .reference, .order: .bigint
            case .entity: .integer
            case .boolean: .boolean
            // A timestamp of the server's has microseconds: it would not bring the same date back.
            case .double, .float, .date: .double
            case .decimal: .numeric
            case .string, .uri: .text
            case .uuid: .uuid
            case .binary, .transformable: .bytea
            }
    }

    /// The name by which the server knows the type.
    var name: StaticString { facts.name }
    /// The number by which the server knows the type.
    var oid: UInt32 { facts.oid }
    /// The number by which the server knows the type of its arrays.
    var arrayOID: UInt32 { facts.arrayOID }
    /// The multiple of bytes at which the server lets values begin; 0 for those of any length.
    var alignment: Int { facts.alignment }

    private var facts: (name: StaticString, oid: UInt32, arrayOID: UInt32, alignment: Int) {
        switch self {
        case .bigint: ("bigint", 20, 1016, 8)
        case .integer: ("integer", 23, 1007, 4)
        case .boolean: ("boolean", 16, 1000, 1)
        case .double: ("double precision", 701, 1022, 8)
        case .numeric: ("numeric", 1700, 1231, 0)
        case .text: ("text", 25, 1009, 0)
        case .uuid: ("uuid", 2950, 2951, 1)
        case .bytea: ("bytea", 17, 1001, 0)
        }
    }
}
