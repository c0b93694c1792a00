import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore

/// The relationships of a model that a change has to keep consistent.
struct ReferenceRules: Sendable {
    let model: ManagedObjectModel
    /// The references to rows of each entity, by the index of the destination's own entity.
    let referrers: [[ReferenceSlot]]
    /// The many-to-many relationships of each entity that deny or cascade a deletion.
    let followedLinks: [[RelationshipDescription]]

    init(_ model: ManagedObjectModel) {
        self.model = model
        var referrers: [[ReferenceSlot]] = Array(repeating: [], count: model.entities.count)
        for entity in model.entities {
            for reference in model.referenceSlots[entity.index] where reference.relationship.declaringEntity == entity.index {
                for destination in model.destination(of: reference.relationship).hierarchy { referrers[destination].append(reference) }
            }
        }
        self.referrers = referrers
        followedLinks = model.entities.map { entity in
            entity.properties.compactMap(\.relationship).filter { relationship in
                guard case .links = relationship.storage else { return false }
                return relationship.deleteRule == .cascade || relationship.deleteRule == .deny
            }
        }
    }

    /// Returns the rows that reference some rows of one entity hierarchy through a relationship.
    ///
    /// - Complexity: O(log n) for each of them, where the store has an index over the references; else O(n).
    func rows(
        referencing references: [Int64], through relationship: RelationshipDescription, _ reader: any StoreReader, of entry: StoreEntry
    ) throws -> [Row] {
        let entity = model.entities[relationship.declaringEntity]
        // A store without objects of the entity has no table of it.
        guard entry.mayHave(anyOf: entity.hierarchy) else { return [] }
        if let inverse = model.inverse(of: relationship), inverse.isToMany, relationship.isHidden || references.count <= 8 {
            return try model.checked(try reader.destinationsWithRows(of: inverse, root: entity.root, owners: references).rows, .fetch)
        }
        var rows: [Row] = []
        for some in references.slices(of: 1024) {
            let ids = some.map { Value.objectID(ObjectID(scope: entry.scopes[relationship.destination], reference: $0)) }
            var plan = FetchPlan(entity)
            plan.predicate = try key(relationship.name).isIn(ids).resolved(for: entity, in: model)
            rows += try model.checked(reader.answer(plan).requireRows(), .fetch)
        }
        return rows
    }
}
