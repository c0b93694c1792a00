import StrataModel
import StrataQuery
import StrataSQL
import StrataTestModels

/// The schema of a library in MySQL, with inheritance and every kind of relationship.
struct Library {
    let model: ManagedObjectModel
    let schema: StoreSchema<MySQLDialect>

    init() throws {
        model = try ManagedObjectModel {
            Entity("Book") {
                Attributes(["title": .string, "pages": .integer32, "price": .double, "cover": .binary])
                Relationships(["author": .toOne("Author.books"), "shelves": .toMany("Shelf.books")])
            }
            Entity("Atlas", parent: "Book") { Attribute("scale", .integer32) }
            Entity("Author", attributes: ["name": .string], relationships: ["books": .toMany("Book.author")])
            Entity("Shelf", attributes: ["number": .integer32], relationships: ["books": .toMany("Book.shelves")])
        }
        schema = Library.schema(of: model)
    }

    /// A table for each hierarchy and for each many-to-many relationship, named as the model names them.
    static func schema(of model: ManagedObjectModel) -> StoreSchema<MySQLDialect> {
        var tables: [EntityIndex: EntityTable<MySQLDialect>] = [:]
        for root in model.entities where root.superentity == nil {
            var columns: [MySQLDialect.Column] = []
            let slotColumns = root.hierarchy.map { index in
                let entity = model.entities[index]
                return entity.layout.indexedSlots.map { _, slot in
                    let name = entity.properties[slot.property].name
                    if let known = columns.firstIndex(where: { $0.property == name && $0.kind == slot.kind }) { return known }
                    let suffix = slot.kind == .reference ? "_id" : ""
                    columns.append(MySQLDialect.Column(name: name + suffix, kind: slot.kind, property: name))
                    return columns.count - 1
                }
            }
            tables[root.index] = EntityTable(
                name: root.name, root: root.index, hierarchy: root.hierarchy, columns: columns, slotColumns: slotColumns,
                numbers: root.hierarchy.map { $0.rawValue + 1 }, details: ())
        }
        let joins = model.linkTables.map { link in
            let (first, second) = (model.entities[link.first.entity], model.entities[link.second.entity])
            return JoinTable<MySQLDialect>(
                name: first.name + second.name, first: first.name + "_id", second: second.name + "_id", orderInFirst: nil,
                orderInSecond: nil, details: ())
        }
        return StoreSchema(tables: tables, joins: joins, numbers: model.entities.map { $0.index.rawValue + 1 }, details: ())
    }
}
