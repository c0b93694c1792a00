import Strata
import StrataStoreTool

/// The results of a query as text, with the time that it took, and with what ran where.
struct QueryPage: Page {
    private let reader: PageReader
    private let text: String
    private let columns: ResultColumns?
    private let rows: [[Value]]
    private let duration: Duration
    private let explanation: String?
    private let hasMore: Bool

    init(_ reader: PageReader, _ context: ManagedObjectContext) throws {
        self.reader = reader
        text = reader.values["q"] ?? ""
        guard !text.isEmpty else {
            (columns, rows, duration, explanation, hasMore) = (nil, [], .zero, nil, false)
            return
        }
        let limit = try reader.limit()
        var query = try QueryText(text)
        query.greatestCount = limit + 1
        var (columns, rows): (ResultColumns?, [[Value]]) = (nil, [])
        duration = try ContinuousClock().measure {
            try ResultColumns.forEachResult(of: query, in: context, withIDs: true) {
                columns = $0
            } row: {
                rows.append($0)
            }
        }
        (self.columns, self.rows, hasMore) = (columns, Array(rows.prefix(limit)), rows.count > limit)
        explanation = reader.values.text("explain") == nil ? nil : "\(try context.explain(try query.request(in: context)))"
    }

    let title = "Query"

    var content: HTML {
        element(.h1) { "Query" }
        QueryPage.form(text, reader.links)
        if let columns {
            element(.p, .class("summary")) {
                "\(hasMore ? "The first \(rows.count.formatted("row"))" : rows.count.formatted("row")) in \(milliseconds) ms."
            }
            if let explanation {
                element(.h2) { "Explanation" }
                element(.pre, .class("wrap")) { explanation }
            }
            table(columns)
        } else {
            element(.p) { "An entity and clauses in this order: select, where, group, having, sort, limit, offset." }
            element(.ul) {
                for entity in reader.model.entities.filter({ QueryText.isPlain($0.name) }).prefix(3) {
                    let example = "\(entity.name) limit 10"
                    element(.li) { element(.a, .href(reader.links.page(.query, ("q", example)))) { element(.code) { example } } }
                }
            }
        }
    }

    /// The query box.
    static func form(_ text: String, _ links: Links) -> HTML {
        element(.form, .action(links.page(.query)), .set("method", "get"), .set("role", "search"), .class("query")) {
            element(.label, .set("for", "q")) { "Query" }
            element(.textarea, .id("q"), .name("q"), .set("rows", "3"), .set("spellcheck", "false"), .set("autocomplete", "off")) { text }
            element(.button) { "Run" }
            element(.button, .name("explain"), .value("1")) { "Run and explain" }
        }
    }

    private func table(_ columns: ResultColumns) -> HTML {
        let view = ValueView(links: reader.links, limit: reader.options.greatestCell)
        return element(.div, .class("scroll"), .set("tabindex", "0"), .set("role", "region"), .label("Results")) {
            element(.table) {
                element(.thead) {
                    element(.tr) {
                        for (index, name) in columns.names.enumerated() {
                            element(.th, .set("scope", "col"), .class(columns.numbers.contains(index) ? "number" : "text")) { name }
                        }
                    }
                }
                element(.tbody) {
                    for row in rows {
                        element(.tr) {
                            for (index, value) in row.enumerated() {
                                element(.td, .class(columns.numbers.contains(index) ? "number" : "text")) { view.html(value) }
                            }
                        }
                    }
                }
            }
        }
    }

    private var milliseconds: String {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        return "\(microseconds / 1_000).\(String(1_000 + microseconds % 1_000).dropFirst())"
    }

    var json: JSON {
        let view = ValueView(links: reader.links, limit: reader.options.greatestCell)
        return .object([
            "query": .string(text), "columns": .array((columns?.names ?? []).map { .string($0) }),
            "rows": .array(rows.map { .array($0.map(view.json)) }), "hasMore": .bool(hasMore),
            "milliseconds": .double(Double(milliseconds) ?? 0), "explanation": JSON(explanation),
        ])
    }
}
