import Hummingbird
import Strata
import StrataStoreTool

/// The values of a property, with the numbers of objects that have them.
struct FacetPage: Page {
    private let reader: PageReader
    private let entity: EntityDescription
    private let key: String
    private let condition: QueryPredicate?
    private let values: [(value: Value, count: Int)]
    private let hasMore: Bool

    init(_ reader: PageReader, _ context: ManagedObjectContext) throws {
        self.reader = reader
        entity = try reader.entity()
        guard let key = reader.values.text("key"), entity.columns.contains(where: { $0.name == key }) else {
            throw PageError(.notFound, "\(entity.name) has no property \(reader.values["key"] ?? "") with values to count")
        }
        self.key = key
        condition = try reader.condition()
        let limit = try reader.limit()
        let name = ExpressionDescription(name: "value", expression: .keyPath(key))
        var request = ObjectFetchRequest<ManagedObject>(entityName: entity.name)
        request.predicate = condition
        request.propertiesToGroupBy = [name]
        request.propertiesToFetch = [name, .count(as: "count")]
        request.sort = [QuerySort("count", ascending: false)]
        request.limit = limit + 1
        let rows = try context.fetchDictionaries(request)
        values = rows.prefix(limit).map { row in
            (row.values[0], { if case .int(let count) = row.values[1] { Int(count) } else { 0 } }())
        }
        hasMore = rows.count > limit
    }

    var title: String { "\(key) of \(entity.name)" }
    var entities: [String]? { entity.withSubentities(in: reader.model) }

    var content: HTML {
        element(.h1) {
            "Values of \(key) in "
            element(.a, .href(reader.links.table(entity.name, where: condition))) { entity.name }
        }
        if let condition { element(.p) { element(.code) { condition.predicateFormat } } }
        element(.div, .class("scroll"), .set("tabindex", "0"), .set("role", "region"), .label("Values")) {
            element(.table) {
                element(.thead) {
                    element(.tr) {
                        element(.th, .set("scope", "col")) { key }
                        element(.th, .set("scope", "col"), .class("number")) { "Objects" }
                    }
                }
                element(.tbody) {
                    for (value, count) in values {
                        element(.tr) {
                            element(.td) { ValueView(links: reader.links, limit: reader.options.greatestCell).html(value) }
                            element(.td, .class("number")) {
                                if let condition = self.condition(for: value) {
                                    element(.a, .href(reader.links.table(entity.name, where: condition))) { count.grouped }
                                } else {
                                    count.grouped
                                }
                            }
                        }
                    }
                }
            }
        }
        element(.p) { hasMore ? "The \(values.count.formatted("value")) that most objects have." : values.count.formatted("value") + "." }
    }

    /// The condition on objects with a value; `nil` for a value that conditions cannot name.
    private func condition(for value: Value) -> QueryPredicate? {
        guard let equal = try? QueryPredicate(format: "%K == %@", key, value) else { return nil }
        return condition.map { $0 && equal } ?? equal
    }

    var json: JSON {
        .object([
            "entity": .string(entity.name), "key": .string(key), "hasMore": .bool(hasMore),
            "values": .array(values.map { .object(["value": $0.value.json, "count": .int(Int64($0.count))]) }),
        ])
    }
}
