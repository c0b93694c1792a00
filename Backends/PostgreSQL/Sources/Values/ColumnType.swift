import StrataModel
import StrataSQL

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

    /// The number by which the server knows the type.
    var oid: UInt32 {
        switch self {
        case .boolean: 16
        case .bytea: 17
        case .bigint: 20
        case .integer: 23
        case .text: 25
        case .double: 701
        case .numeric: 1700
        case .uuid: 2950
        }
    }

    /// The multiple of bytes at which the server lets values begin; 0 for those of any length.
    var alignment: Int {
        switch self {
        case .bigint, .double: 8
        case .integer: 4
        case .boolean, .uuid: 1
        case .numeric, .text, .bytea: 0
        }
    }

    /// The number by which the server knows the type of its arrays.
    var arrayOID: UInt32 {
        switch self {
        case .boolean: 1000
        case .bytea: 1001
        case .integer: 1007
        case .text: 1009
        case .bigint: 1016
        case .double: 1022
        case .numeric: 1231
        case .uuid: 2951
        }
    }
}

extension SQLText {
    /// Adds the name of a type.
    mutating func add(_ type: ColumnType) {
        switch type {
        case .bigint: add("bigint")
        case .integer: add("integer")
        case .boolean: add("boolean")
        case .double: add("double precision")
        case .numeric: add("numeric")
        case .text: add("text")
        case .uuid: add("uuid")
        case .bytea: add("bytea")
        }
    }

    /// Adds a type as a column is declared with it: text goes by its bytes, wherever the database comes from.
    mutating func add(declaring type: ColumnType) {
        add(type)
        if type == .text { add(" COLLATE \"C\"") }
    }
}
