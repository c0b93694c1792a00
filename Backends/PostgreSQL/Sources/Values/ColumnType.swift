import StrataModel

/// The type of a column.
enum ColumnType: Sendable, Hashable {
    case bigint, integer, boolean, double, numeric, text, uuid, bytea

    /// The types of a row's reference, of its entity and of its version.
    static let identity: [ColumnType?] = [.bigint, .integer, .bigint]

    /// The type of the column for a kind of slot.
    init(_ kind: SlotKind) {
        self =
            switch kind {
            case .integer, .reference, .order: .bigint
            case .entity: .integer
            case .boolean: .boolean
            // The server's timestamps have microseconds: a date would not be read back equal.
            case .double, .float, .date: .double
            case .decimal: .numeric
            case .string, .uri: .text
            case .uuid: .uuid
            case .binary, .transformable: .bytea
            }
    }

    /// The type of a result's column for a kind of slot: a decimal is selected as text.
    init(selected kind: SlotKind) { self = kind == .decimal ? .text : ColumnType(kind) }

    /// Returns whether the values of a type are those of this one: `character varying` is text with a limit.
    func isDecoded(from oid: UInt32) -> Bool { oids.contains(oid) }

    /// The OIDs of the types with the same values.
    var oids: [UInt32] { self == .text ? [oid, 1043] : [oid] }

    /// The name of the type in SQL.
    var name: StaticString { facts.name }
    /// The OID of the type.
    var oid: UInt32 { facts.oid }
    /// The OID of the type's arrays.
    var arrayOID: UInt32 { facts.arrayOID }
    /// The alignment of values in bytes; 0 for types of variable length.
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
