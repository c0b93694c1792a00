/// The tables of a model: its entity hierarchies, and the indexes of each.
final class TableSchema: Sendable {
    struct Constraint: Sendable {
        let constraint: UniquenessConstraint
        let index: Int
    }

    /// An entity hierarchy, whose rows are in one table.
    final class Hierarchy: Sendable {
        let root: EntityDescription
        let indexes: [IndexShape]
        let descriptions: [IndexDescription]
        let constraints: [Constraint]
        /// The ends of link tables with its objects.
        let links: [(table: Int, side: LinkSide)]

        fileprivate init(_ root: EntityDescription, _ model: ManagedObjectModel) {
            self.root = root
            var indexes: [IndexShape] = []
            var descriptions: [IndexDescription] = []
            var constraints: [Constraint] = []
            for index in root.hierarchy.flatMap({ ModelIndex.declared(by: model.entities[$0]) }) {
                // An index that is reversed in all its elements is traversed backward.
                let isAscending = index.elements.first?.isAscending ?? true
                let elements = index.elements.map {
                    IndexDescription.Element(slot: $0.slot, kind: $0.kind, isAscending: $0.isAscending == isAscending)
                }
                let entities = index.entity.hierarchy
                let known = indexes.firstIndex { $0.entities == entities && $0.elements == elements }
                let position = known ?? indexes.count
                if known == nil {
                    indexes.append(IndexShape(entities: entities, elements: elements))
                    descriptions.append(IndexDescription(position: position, name: index.title, entities: entities, elements: elements))
                }
                if case .unique(let constraint) = index.purpose { constraints.append(Constraint(constraint: constraint, index: position)) }
            }
            (self.indexes, self.descriptions, self.constraints) = (indexes, descriptions, constraints)
            links = model.linkTables.flatMap { table in
                [LinkSide.first, .second].filter { model.entities[table.end($0).entity].root == root.index }.map { (table.index, $0) }
            }
        }
    }

    let model: ManagedObjectModel
    /// The hierarchies, by the index of their roots.
    let hierarchies: [Hierarchy]
    /// The index in ``hierarchies`` of each entity's hierarchy.
    let hierarchyOfEntity: [Int]

    init(_ model: ManagedObjectModel) {
        self.model = model
        hierarchies = model.entities.filter { $0.root == $0.index }.map { Hierarchy($0, model) }
        hierarchyOfEntity = hierarchies.enumerated().flatMap { index, hierarchy in hierarchy.root.hierarchy.map { _ in index } }
    }

    func hierarchy(_ entity: EntityIndex) -> Hierarchy { hierarchies[hierarchyOfEntity[entity]] }

    /// Returns the index in ``hierarchies`` of an entity's hierarchy; `nil` where the model has no such entity.
    func hierarchyIndex(of entity: EntityIndex) -> Int? {
        hierarchyOfEntity.typedIndices().contains(entity) ? hierarchyOfEntity[entity] : nil
    }

    /// Returns the index whose key begins with a slot and that has all rows of an entity.
    func index(leadingWith slot: Slot, of entity: EntityDescription) -> Int? {
        hierarchy(entity.index).indexes.firstIndex { $0.elements[0].slot == slot && $0.entities.contains(entity.index) }
    }
}
