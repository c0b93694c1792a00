import Hummingbird
import Strata
import StrataStoreTool

/// An object with its values, and with its destinations to follow.
struct ObjectPage: Page {
    private static let greatestList = 20

    private let reader: PageReader
    private let id: ObjectID
    private let version: UInt32
    private let values: [(property: PropertyDescription, value: Value)]
    private let lists: [(relationship: RelationshipDescription, ids: [ObjectID], hasMore: Bool)]

    init(_ reader: PageReader, _ context: ManagedObjectContext) throws {
        self.reader = reader
        id = try reader.objectID()
        let object = try context.existingObject(with: id)
        let snapshot = object.snapshot()
        version = snapshot.version
        values = id.entity.columns.map { ($0, snapshot.value(forKey: $0.name) ?? .null) }
        lists = try id.entity.lists.map { relationship in
            let ids = try context.destinations(of: relationship, from: object, limit: ObjectPage.greatestList + 1)
            return (relationship, Array(ids.prefix(ObjectPage.greatestList)), ids.count > ObjectPage.greatestList)
        }
        if let error = context.lastFaultError { throw error }
    }

    var title: String { Value.objectID(id).shortCell }
    var entities: [String]? { [id.entity.name] + id.entity.relationships.map { reader.model.destination(of: $0).name } }

    var content: HTML {
        element(.h1) {
            element(.a, .href(reader.links.table(id.entity.name))) { id.entity.name }
            " p\(id.reference)"
        }
        element(.p) { element(.code) { id.uriRepresentation } }
        element(.div, .class("scroll"), .set("tabindex", "0"), .set("role", "region"), .label("Values")) {
            element(.table) {
                element(.thead) {
                    element(.tr) { for name in ["Property", "Type", "Value"] { element(.th, .set("scope", "col")) { name } } }
                }
                element(.tbody) {
                    HTML(values.map(row))
                    HTML(lists.map(row))
                }
            }
        }
        element(.p) {
            element(.a, .href(reader.links.page(.history, ("object", id.uriRepresentation)))) { "Changes of this object" }
        }
        if reader.options.writeToken != nil { forms }
    }

    private func row(_ property: PropertyDescription, _ value: Value) -> HTML {
        element(.tr) {
            element(.th, .set("scope", "row")) { property.name }
            element(.td, .class("type")) { property.typeName(in: reader.model) }
            element(.td, .class("whole")) { ValueView(links: reader.links, limit: 100_000).html(value) }
        }
    }

    private func row(_ relationship: RelationshipDescription, _ ids: [ObjectID], _ hasMore: Bool) -> HTML {
        element(.tr) {
            element(.th, .set("scope", "row")) {
                element(.a, .href(related(relationship))) { relationship.name }
            }
            element(.td, .class("type")) { PropertyDescription.relationship(relationship).typeName(in: reader.model) }
            element(.td, .class("whole")) {
                ValueView(links: reader.links).html(.list(ids.map { .objectID($0) }))
                if ids.isEmpty { element(.span, .class("null")) { "none" } }
                if hasMore {
                    " "
                    element(.a, .href(related(relationship))) { "more…" }
                }
            }
        }
    }

    private func related(_ relationship: RelationshipDescription) -> Link {
        reader.links.page(.related, ("id", id.uriRepresentation), ("name", relationship.name))
    }

    /// The forms that change the object.
    private var forms: HTML {
        element(.details) {
            element(.summary) { "Change" }
            form("set") {
                element(.label) {
                    "Property "
                    element(.select, .name("key")) {
                        for (property, _) in values { element(.option) { property.name } }
                    }
                }
                element(.label) {
                    "Value "
                    element(.textarea, .name("value"), .set("rows", "2"))
                }
                element(.label) {
                    element(.input, .set("type", "checkbox"), .name("null"), .value("1"))
                    " no value"
                }
                element(.button) { "Save" }
            }
            form("delete") { element(.button) { "Delete the object" } }
        }
    }

    private func form(_ action: String, @HTMLBuilder content: () -> HTML) -> HTML {
        element(.form, .action(reader.links.page(.object)), .set("method", "post"), .class("write")) {
            element(.input, .set("type", "hidden"), .name("id"), .value(id.uriRepresentation))
            element(.input, .set("type", "hidden"), .name("action"), .value(action))
            element(.input, .set("type", "hidden"), .name("version"), .value(String(version)))
            content()
            element(.label) {
                "Token "
                element(.input, .set("type", "password"), .name("token"), .set("autocomplete", "off"), .flag("required"))
            }
        }
    }

    var json: JSON {
        let view = ValueView(links: reader.links)
        var members = values.map { ($0.property.name, view.json($0.value)) }
        members += lists.map { ($0.relationship.name, .array($0.ids.map { Value.objectID($0).json })) }
        return .object([
            "objectID": Value.objectID(id).json, "entity": .string(id.entity.name), "version": .int(Int64(version)),
            "values": .object(Dictionary(members) { first, _ in first }),
            "cut": .array(lists.filter(\.hasMore).map { .string($0.relationship.name) }),
        ])
    }
}

/// The destinations of an object's to-many relationship, a page of them.
struct RelatedPage: Page {
    private let reader: PageReader
    private let owner: ObjectID
    private let relationship: RelationshipDescription
    private let table: RowTable
    private let pager: Pager

    init(_ reader: PageReader, _ context: ManagedObjectContext) throws {
        self.reader = reader
        owner = try reader.objectID()
        guard let name = reader.values.text("name"), let found = owner.entity.relationship(named: name), found.isToMany, !found.isHidden
        else {
            throw PageError(.notFound, "\(owner.entity.name) has no relationship \(reader.values["name"] ?? "") to several objects")
        }
        relationship = found
        let (limit, offset) = (try reader.limit(), try reader.offset())
        let object = try context.existingObject(with: owner)
        let ids = try context.destinations(of: found, from: object, offset: offset, limit: limit + 1)
        table = try RowTable(
            context.existingObjects(with: Array(ids.prefix(limit))), of: reader.model.destination(of: found), in: context)
        pager = Pager(
            name: .related, values: reader.values, offset: offset, limit: limit, count: table.rows.count, hasNext: ids.count > limit)
    }

    var title: String { "\(relationship.name) of \(Value.objectID(owner).shortCell)" }
    var entities: [String]? { [owner.entity.name] + table.entity.withSubentities(in: reader.model) }

    var content: HTML {
        element(.h1) {
            "\(relationship.name) of "
            element(.a, .href(reader.links.object(owner))) { Value.objectID(owner).shortCell }
        }
        table.html(ValueView(links: reader.links, limit: reader.options.greatestCell)) { column in
            element(.th, .set("scope", "col"), .class(column.isNumber ? "number" : "text")) { column.name }
        }
        pager.html(reader.links)
    }

    var json: JSON {
        .object([
            "objectID": Value.objectID(owner).json, "relationship": .string(relationship.name),
            "rows": table.json(ValueView(links: reader.links, limit: reader.options.greatestCell)), "offset": .int(Int64(pager.offset)),
            "next": pager.json(reader.links),
        ])
    }
}

extension PropertyDescription {
    /// Whether its values are shown at the right.
    var isNumber: Bool { attribute?.type.isNumeric == true }

    /// The type for a person: that of an attribute, or the destination of a relationship.
    func typeName(in model: ManagedObjectModel) -> String {
        switch self {
        case .attribute(let attribute): "\(attribute.type)"
        case .relationship(let relationship):
            (relationship.isToMany ? relationship.isOrdered ? "list of " : "set of " : "") + model.destination(of: relationship).name
        }
    }
}

extension ManagedObjectContext {
    /// Returns some destinations of a to-many relationship, in its order.
    ///
    /// Where the inverse is a to-one relationship the store finds no more than these; else it reads all IDs.
    fileprivate func destinations(
        of relationship: RelationshipDescription, from object: ManagedObject, offset: Int = 0, limit: Int
    ) throws -> [ObjectID] {
        guard let inverse = model.inverse(of: relationship), !inverse.isToMany, !inverse.isHidden, !relationship.isOrdered else {
            return Array(try object.objectIDs(forRelationshipNamed: relationship.name).dropFirst(offset).prefix(limit))
        }
        var request = ObjectFetchRequest<ManagedObject>(entityName: model.destination(of: relationship).name)
        request.predicate = try QueryPredicate(format: "%K == %@", inverse.name, object)
        (request.offset, request.limit) = (offset, limit)
        return try fetchObjectIDs(request)
    }
}
