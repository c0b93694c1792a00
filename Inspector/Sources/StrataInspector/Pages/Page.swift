import Hummingbird
import Strata
import StrataStoreTool

/// A page: HTML for a person, and the same as JSON.
protocol Page: Sendable {
    var title: String { get }
    @HTMLBuilder var content: HTML { get }
    var json: JSON { get }
    /// The entities whose changes change the page; `nil` for all.
    var entities: [String]? { get }
}

extension Page {
    var entities: [String]? { nil }
}

/// What a page is made from.
struct PageReader: Sendable {
    let container: PersistentContainer
    let options: InspectorOptions
    let links: Links
    let values: FormValues

    var model: ManagedObjectModel { container.model }

    /// Returns the entity that the request names.
    ///
    /// - Throws: `PageError`.
    func entity() throws -> EntityDescription {
        guard let name = values.text("entity") else { throw PageError(.badRequest, "the request names no entity") }
        guard let entity = model.entity(named: name) else { throw PageError(.notFound, "the model has no entity \(name)") }
        return entity
    }

    /// Returns the condition of the request.
    ///
    /// - Throws: `PageError` with a mark under the position of an error.
    func condition() throws -> QueryPredicate? {
        guard let text = values.text("where") else { return nil }
        return try QueryPredicate(format: text, model: model)
    }

    /// Returns the ID that a value of the request names: a URI, or its end, `Person/p3`.
    ///
    /// - Throws: `PageError`.
    func objectID(_ name: String = "id") throws -> ObjectID {
        guard let text = values.text(name) else { throw PageError(.badRequest, "the request names no object") }
        let uris = text.contains("://") ? [text] : container.coordinator.stores.map { "x-coredata://\($0.id)/\(text)" }
        for uri in uris {
            if let id = container.coordinator.objectID(forURI: uri), id.uriRepresentation == uri || uris.count == 1 { return id }
        }
        throw PageError(.notFound, "\(text) is no URI of an object in these stores")
    }

    func limit() throws -> Int { try values.number("limit", default: options.pageSize, in: 1...max(1, options.greatestPageSize)) }
    func offset() throws -> Int { try values.number("offset", default: 0, in: 0...1_000_000_000_000) }
}

extension EntityDescription {
    /// The relationships to several objects.
    var lists: [RelationshipDescription] { relationships.filter { $0.isToMany && !$0.isHidden } }
}

/// Shows values of limited size.
struct ValueView: Sendable {
    let links: Links
    /// The greatest number of characters of a text, and of bytes of data; `nil` for whole values.
    var limit: Int?

    /// The markup of a value: a link to an object, the size of data, the beginning of a long text.
    func html(_ value: Value) -> HTML {
        switch value {
        case .null: element(.span, .class("null"), .title("no value")) { "–" }
        case .objectID(let id): element(.a, .href(links.object(id))) { value.shortCell }
        case .data(let data): HTML(limit.map { data.count > $0 } ?? false ? data.count.formatted("byte") : value.cell)
        case .list(let values):
            HTML(values.enumerated().flatMap { index, value in index == 0 ? [html(value)] : [HTML(", "), html(value)] })
        default: HTML(cut(value.cell))
        }
    }

    /// The value as JSON, large ones as objects with their sizes.
    func json(_ value: Value) -> JSON {
        switch value {
        case .data(let data) where limit.map { data.count > $0 } ?? false: .object(["byteCount": .int(Int64(data.count))])
        case .string(let text) where cut(text) != text: .object(["text": .string(cut(text)), "characterCount": .int(Int64(text.count))])
        case .list(let values): .array(values.map(json))
        default: value.json
        }
    }

    private func cut(_ text: String) -> String {
        guard let limit, text.utf8.count > limit, text.count > limit else { return text }
        return text.prefix(limit) + "…"
    }
}

extension Int {
    /// The number with a noun, which takes an s where there is not one.
    func formatted(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }

    /// The number with commas between thousands.
    var grouped: String {
        let digits = String(magnitude)
        let parts = stride(from: digits.count, to: 0, by: -3).reversed().map { end in
            digits.dropLast(digits.count - end).suffix(3)
        }
        return (self < 0 ? "-" : "") + parts.joined(separator: ",")
    }
}
