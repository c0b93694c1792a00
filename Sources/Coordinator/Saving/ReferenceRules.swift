import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore

/// What a model's relationships ask of a change, so that no reference is left without its destination.
struct ReferenceRules: Sendable {
    /// A to-one relationship that rows hold in a slot.
    struct Reference: Sendable {
        let slot: Slot
        let relationship: RelationshipDescription
    }

    let model: ManagedObjectModel
    /// The references in the rows of each entity, by its index.
    let references: [[Reference]]
    /// The references that may reference the rows of each entity, each once, by the index of the destination's own
    /// entity.
    let referrers: [[Reference]]
    /// The many-to-many relationships of each entity whose destinations stand against a deletion, or go with it.
    let followedLinks: [[RelationshipDescription]]

    init(_ model: ManagedObjectModel) {
        self.model = model
        var referrers: [[Reference]] = Array(repeating: [], count: model.entities.count)
        references = model.entities.map { entity in
            entity.properties.compactMap { property in
                guard let relationship = property.relationship, case .toOne(let slot, _, _) = relationship.storage else { return nil }
                return Reference(slot: slot, relationship: relationship)
            }
        }
        for (entity, references) in zip(references.typedIndices(EntityIndex.self), references) {
            for reference in references where reference.relationship.declaringEntity == entity {
                for destination in model.destination(of: reference.relationship).tree { referrers[destination].append(reference) }
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

    /// Returns the rows that reference some rows of one entity's tree through a relationship.
    ///
    /// - Complexity: O(log n) for each of them, where the store has an index over the references; else O(n).
    func rows(
        leadingTo references: [Int64], through reference: Reference, _ reader: any StoreReader, of entry: StoreEntry
    ) throws -> [Row] {
        let relationship = reference.relationship
        let entity = model.entities[relationship.declaringEntity]
        // A store whose configuration leaves the entity out has no table to ask.
        guard entry.holds(anyOf: entity.tree) else { return [] }
        if let inverse = model.inverse(of: relationship), inverse.isToMany, relationship.isHidden || references.count <= 8 {
            return try model.checked(try reader.destinationsWithRows(of: inverse, root: entity.root, owners: references).rows, .fetch)
        }
        var rows: [Row] = []
        for start in stride(from: 0, to: references.count, by: 1024) {
            let ids = references[start..<min(start + 1024, references.count)].map {
                Value.objectID(ObjectID(scope: entry.scopes[relationship.destination], reference: $0))
            }
            var plan = FetchPlan(entity)
            plan.predicate = try QueryPredicate.comparison(
                QueryComparison(.keyPath(relationship.name), .isIn, .constant(.list(ids)))
            ).resolved(for: entity, in: model)
            rows += try model.checked(reader.answer(plan).requireRows(), .fetch)
        }
        return rows
    }
}
