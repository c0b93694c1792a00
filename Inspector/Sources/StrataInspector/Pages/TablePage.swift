import Strata
import StrataStoreTool

/// The objects of an entity: those that meet a condition, in an order, a page of them.
struct TablePage: Page {
    private let reader: PageReader
    private let table: RowTable
    private let sort: TableSort?
    private let pager: Pager
    private let total: Int?

    /// Reads the page's rows and one more, by which another page is known; no later row is read or counted.
    init(_ reader: PageReader, _ context: ManagedObjectContext) throws {
        self.reader = reader
        let entity = try reader.entity()
        sort = reader.sort
        let continuation = try Continuation(reader)
        let request = try TablePage.request(reader)
        if reader.values.text("count") != nil {
            var all = request
            (all.predicate, all.limit, all.offset) = (try reader.condition(), nil, 0)
            total = try context.count(for: all)
        } else {
            total = nil
        }
        let (limit, offset) = (try reader.limit(), try reader.offset())
        let objects = try context.fetch(request)
        table = try RowTable(objects.prefix(limit), of: entity, in: context)
        var next: Continuation?
        if let sort, let column = entity.columns.firstIndex(where: { $0.name == sort.key }) {
            let values = table.rows.map { $0.values[column] }
            next = Continuation(behind: values, sort: sort, previous: continuation)
        }
        pager = Pager(
            name: .table, values: reader.values, offset: offset, limit: limit, count: table.rows.count, hasNext: objects.count > limit,
            next: next)
    }

    /// The request for the rows and one more.
    ///
    /// - Throws: `PageError`, and as the format language.
    static func request(_ reader: PageReader) throws -> ObjectFetchRequest<ManagedObject> {
        var request = ObjectFetchRequest<ManagedObject>(entityName: try reader.entity().name)
        request.predicate = try reader.condition()
        if let sort = reader.sort { request.sort = [QuerySort(sort.key, ascending: sort.isAscending)] }
        (request.limit, request.offset) = (try reader.limit() + 1, try reader.offset())
        try Continuation(reader)?.apply(to: &request, of: reader.entity())
        return request
    }

    var title: String { table.entity.name }
    var entities: [String]? { table.entity.withSubentities(in: reader.model) }

    var content: HTML {
        element(.h1) { table.entity.name }
        TablePage.form(table.entity.name, reader.values, reader.links)
        table.html(ValueView(links: reader.links, limit: reader.options.greatestCell), header: header)
        pager.html(reader.links, total: total)
        if total == nil {
            element(.p) {
                element(.a, .href(reader.links.page(.table, reader.values.replacing("count", with: "1")))) { "Count all rows" }
            }
        }
    }

    /// The condition of a table, to change it.
    static func form(_ entity: String, _ values: FormValues, _ links: Links) -> HTML {
        element(.form, .action(links.page(.table)), .set("method", "get"), .set("role", "search"), .class("query")) {
            element(.input, .set("type", "hidden"), .name("entity"), .value(entity))
            if let sort = values.text("sort") { element(.input, .set("type", "hidden"), .name("sort"), .value(sort)) }
            element(.label, .set("for", "where")) { "Where" }
            element(
                .input, .id("where"), .name("where"), .value(values["where"] ?? ""), .set("type", "text"),
                .set("spellcheck", "false"), .set("autocomplete", "off"), .set("placeholder", "name beginswith \"A\" and age > 18"))
            element(.button) { "Filter" }
        }
    }

    private func header(_ column: PropertyDescription) -> HTML {
        let isSorted = sort?.key == column.name
        let order: StaticString = !isSorted ? "none" : sort?.isAscending == true ? "ascending" : "descending"
        let next = isSorted && sort?.isAscending == true ? "-\(column.name)" : column.name
        return element(.th, .set("scope", "col"), .class(column.isNumber ? "number" : "text"), .set("aria-sort", order)) {
            element(.a, .href(reader.links.page(.table, reader.values.replacing("sort", with: next, without: Pager.names)))) {
                column.name
                if isSorted { element(.span, .set("aria-hidden", "true")) { sort?.isAscending == true ? " ▲" : " ▼" } }
            }
            " "
            element(
                .a, .class("minor"), .label("Values of \(column.name)"),
                .href(
                    reader.links.page(
                        .facets, ("entity", table.entity.name), ("key", column.name), ("where", reader.values.text("where"))))
            ) { "values" }
        }
    }

    var json: JSON {
        .object([
            "entity": .string(table.entity.name), "rows": table.json(ValueView(links: reader.links, limit: reader.options.greatestCell)),
            "offset": .int(Int64(pager.offset)), "next": pager.json(reader.links), "count": total.map { .int(Int64($0)) } ?? .null,
        ])
    }
}

extension EntityDescription {
    /// The names of the entity and of all below it.
    func withSubentities(in model: ManagedObjectModel) -> [String] {
        model.entities.filter { hierarchy.contains($0.index) }.map(\.name)
    }
}
