import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataTestModels
import Testing

/// A model, and rows of it kept in memory.
final class Office: RowResolver {
    let model: ManagedObjectModel
    let storeID: StoreID? = "STORE"
    private var writer = RowWriter()
    private var rows: [EntityIndex: [Int64: Row]] = [:]

    init() throws {
        model = try ManagedObjectModel {
            Entity("Person") {
                Attributes([
                    "age": .integer16, "born": .date, "height": .double, "key": .uuid, "name": .string, "nick": .string,
                    "page": .uri, "paid": .boolean, "salary": .decimal, "weight": .float,
                ])
                Attribute("mood", .string).transient
                Relationships([
                    "boss": .toOne("Person.staff"), "staff": .toMany("Person.boss"), "company": .toOne("Company.people"),
                ])
                Relationship("guest", to: "Company").with { $0.isTransient = true }
            }
            Entity("Manager", parent: "Person") { Attribute("budget", .integer64) }
            Entity("Company") {
                Attribute("name", .string)
                Relationships(["people": .toMany("Person.company"), "owner": .toOne("Person")])
            }
        }
    }

    var person: EntityDescription { get throws { try entity("Person") } }

    func entity(_ name: String) throws -> EntityDescription { try #require(model.entity(named: name)) }

    /// Adds a row with values by name; destinations are given as references.
    func add(_ reference: Int64, of entityName: String = "Person", _ values: [String: Value] = [:]) throws {
        let entity = try entity(entityName)
        writer.begin(entity, reference: reference, version: 1)
        for (name, value) in values {
            let propertySlot = entity.propertySlots[try #require(entity.property(named: name)).index]
            try writer.set(value, at: #require(propertySlot.slot), propertySlot.kind)
        }
        rows[entity.root, default: [:]][reference] = writer.finish()
    }

    func row(root: EntityIndex, reference: Int64) throws -> Row? { rows[root]?[reference] }

    func destinations(of relationship: RelationshipDescription, root: EntityIndex, owner: Row) throws -> [Row] {
        guard case .inverse(let property) = relationship.storage,
            case .toOne(let slot, _, _) = model.entities[relationship.destination].properties[property].relationship?.storage
        else { return [] }
        let found = rows[root, default: [:]].values.filter { $0.integer(slot) == owner.reference }
        return found.sorted { $0.reference < $1.reference }
    }

    func id(_ reference: Int64, of entityName: String = "Person", store: StoreID? = "STORE") throws -> ObjectID {
        ObjectID(scope: ObjectIDScope(storeID: store, entity: try entity(entityName)), reference: reference)
    }

    func resolve(_ predicate: QueryPredicate, for entityName: String = "Person") throws -> ResolvedPredicate {
        try predicate.resolved(for: try entity(entityName), in: model)
    }

    func resolve(_ expression: QueryExpression, for entityName: String = "Person") throws -> ResolvedExpression {
        try expression.resolved(for: try entity(entityName), in: model)
    }

    /// The references of the people, or objects of another entity, who pass a predicate, in order.
    func matching(_ predicate: QueryPredicate, of entityName: String = "Person") throws -> [Int64] {
        try matching(try resolve(predicate, for: entityName), of: entityName)
    }

    func matching(_ predicate: ResolvedPredicate, of entityName: String = "Person") throws -> [Int64] {
        let test = RowPredicate(predicate)
        return try (rows[try entity(entityName).root] ?? [:]).values.filter { try test.passes($0, self) }.map(\.reference).sorted()
    }

    /// What an expression is for one object.
    func value(_ expression: QueryExpression, _ reference: Int64, of entityName: String = "Person") throws -> Value {
        let compiled = RowExpression(try resolve(expression, for: entityName))
        return try compiled.value(try #require(rows[try entity(entityName).root]?[reference]), self)
    }

    /// The staff of a person who meet a condition.
    func staff(_ condition: QueryPredicate) throws -> ResolvedCollection {
        let staff = QueryExpression.subquery(.keyPath("staff"), variable: "x", condition.about("x"))
        guard case .aggregate(_, let collection, _) = try resolve(.path(staff, "@count")) else {
            throw QueryError(.illegalKeyPath, entity: "Person", subject: "staff", "it is no collection")
        }
        return collection
    }

    /// The references of all people in a sort order.
    func sorted(_ sorts: QuerySort...) throws -> [Int64] {
        var people = Array((rows[try person.index] ?? [:]).values)
        try RowOrder(try sorts.map { try ResolvedSort($0, of: try person, in: model) }).sort(&people, self)
        return people.map(\.reference)
    }
}

extension QueryPredicate {
    /// The predicate with the paths of its comparisons starting at a variable.
    func about(_ variable: String) -> QueryPredicate {
        func moved(_ expression: QueryExpression) -> QueryExpression {
            if case .keyPath(let path) = expression { .path(.variable(variable), path) } else { expression }
        }
        switch self {
        case .constant: return self
        case .and(let parts): return .and(parts.map { $0.about(variable) })
        case .or(let parts): return .or(parts.map { $0.about(variable) })
        case .not(let part): return .not(part.about(variable))
        case .comparison(var comparison):
            comparison.left = moved(comparison.left)
            comparison.right = moved(comparison.right)
            return .comparison(comparison)
        }
    }
}
