import Strata
import StrataStoreTool

/// Some objects as the rows of a table.
struct RowTable: Sendable {
    /// A row: the object and its values in the order of the columns.
    struct Row: Sendable {
        let id: ObjectID
        let values: [Value]
    }

    let entity: EntityDescription
    let columns: [PropertyDescription]
    let rows: [Row]

    /// Reads objects.
    ///
    /// - Throws: What the store throws.
    init(_ objects: some Sequence<ManagedObject>, of entity: EntityDescription, in context: ManagedObjectContext) throws {
        self.entity = entity
        let columns = entity.columns
        self.columns = columns
        rows = objects.map { object in
            let snapshot = object.snapshot()
            return Row(id: object.objectID, values: columns.map { snapshot.value(forKey: $0.name) ?? .null })
        }
        if let error = context.lastFaultError { throw error }
    }

    /// The table; `header` makes the content of a column's header.
    func html(_ view: ValueView, header: (PropertyDescription) -> HTML) -> HTML {
        element(.div, .class("scroll"), .set("tabindex", "0"), .set("role", "region"), .label("Objects of \(entity.name)")) {
            element(.table) {
                element(.thead) {
                    element(.tr) {
                        element(.th, .set("scope", "col")) { "object" }
                        HTML(columns.map(header))
                    }
                }
                element(.tbody) {
                    for row in rows {
                        element(.tr) {
                            element(.th, .set("scope", "row")) { view.html(.objectID(row.id)) }
                            for (column, value) in zip(columns, row.values) {
                                element(.td, .class(column.isNumber ? "number" : "text")) { view.html(value) }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The rows as objects with their values by name.
    func json(_ view: ValueView) -> JSON {
        .array(
            rows.map { row in
                let members = zip(columns, row.values).map { ($0.name, view.json($1)) } + [("objectID", Value.objectID(row.id).json)]
                return .object(Dictionary(members) { first, _ in first })
            })
    }
}

/// The links to the pages before and after one, which is read with one row more than it shows.
struct Pager: Sendable {
    /// The names of the values that it sets.
    static let names = ["offset", "after", "skip"]

    let name: PageName
    let values: FormValues
    let offset: Int
    let limit: Int
    let count: Int
    let hasNext: Bool
    /// Where the next page begins; `nil` to find it by its offset alone.
    var next: Continuation?

    func html(_ links: Links, total: Int? = nil) -> HTML {
        element(.nav, .class("pager"), .label("Pages")) {
            if offset > 0 {
                element(.a, .href(link(0, links))) { "First" }
                element(.a, .href(link(max(0, offset - limit), links)), .set("rel", "prev")) { "Previous" }
            }
            element(.span) {
                count == 0 ? "No rows" : "Rows \((offset + 1).grouped) to \((offset + count).grouped)"
                if let total { " of \(total.grouped)" }
            }
            if hasNext { element(.a, .href(nextLink(links)), .set("rel", "next")) { "Next" } }
        }
    }

    func json(_ links: Links) -> JSON { hasNext ? .string(nextLink(links, isJSON: true).text) : .null }

    private func link(_ offset: Int, _ links: Links) -> Link { links.page(name, values(at: offset)) }

    private func nextLink(_ links: Links, isJSON: Bool = false) -> Link {
        let values = values(at: offset + limit)
        return links.page(name, asJSON: isJSON, next?.add(to: values) ?? values)
    }

    private func values(at offset: Int) -> FormValues {
        values.replacing("offset", with: offset == 0 ? nil : String(offset), without: Pager.names)
    }
}
