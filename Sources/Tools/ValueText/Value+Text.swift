import FoundationEssentials
public import Strata

extension Value {
    /// The value in a cell of a table or of CSV; empty for no value.
    public var cell: String {
        switch self {
        case .null: ""
        case .string(let text): text
        case .date(let date): DateText.text(date) ?? String(date.timeIntervalSinceReferenceDate)
        case .data(let data): data.base64EncodedString()
        case .list(let values): JSON.array(values.map(\.json)).line
        default: description
        }
    }

    /// The value in a table for a person: as in a cell, but objects by entity and number, as `strata get` takes them.
    public var shortCell: String {
        switch self {
        case .objectID(let id): id.storeID == nil ? cell : "\(id.entity.name)/p\(id.reference)"
        case .list(let values): values.map(\.shortCell).joined(separator: " ")
        default: cell
        }
    }

    /// The value as JSON: dates in ISO 8601, or as seconds since 2001 where that is not exact, data in base64, objects by their URIs.
    public var json: JSON {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .double(let value): .double(value)
        case .decimal(let value): .decimal(value)
        case .string(let value): .string(value)
        case .date(let date): DateText.text(date).map { .string($0) } ?? .double(date.timeIntervalSinceReferenceDate)
        case .data(let data): .string(data.base64EncodedString())
        case .uuid(let value): .string(value.uuidString)
        case .url(let value): .string(value.absoluteString)
        case .objectID(let value): .string(value.uriRepresentation)
        case .list(let values): .array(values.map(\.json))
        }
    }
}
