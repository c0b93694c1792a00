import StrataModel

/// The tables of a model: its entity hierarchies, and the indexes of each.
final class TableSchema: Sendable {
    /// A uniqueness constraint with its index.
    struct Constraint: Sendable {
        let constraint: UniquenessConstraint
        let index: Int
    }

    /// An entity hierarchy, whose rows are in one table.
    final class Tree: Sendable {
        let root: EntityDescription
        let indexes: [IndexShape]
        let descriptions: [IndexDescription]
        let constraints: [Constraint]
        /// The ends of link tables with its objects.
        let links: [(table: Int, side: LinkSide)]

        fileprivate init(_ draft: Draft) {
            root = draft.root
            indexes = draft.indexes
            descriptions = draft.descriptions
            constraints = draft.constraints
            links = draft.links
        }
    }

    fileprivate struct Draft {
        let root: EntityDescription
        var indexes: [IndexShape] = []
        var descriptions: [IndexDescription] = []
        var constraints: [Constraint] = []
        var links: [(table: Int, side: LinkSide)] = []
    }

    let model: ManagedObjectModel
    /// The hierarchies, by the index of their roots.
    let trees: [Tree]
    /// The index in ``trees`` of each entity's hierarchy.
    let treeOfEntity: [Int]

    init(_ model: ManagedObjectModel) {
        self.model = model
        var trees: [Draft] = []
        var treeOfEntity: [Int] = []
        for entity in model.entities {
            if entity.root == entity.index { trees.append(Draft(root: entity)) }
            treeOfEntity.append(trees.count - 1)
            TableSchema.add(entity, to: &trees[trees.count - 1])
        }
        for table in model.linkTables {
            for side in [LinkSide.first, .second] {
                trees[treeOfEntity[table.end(side).entity]].links.append((table.index, side))
            }
        }
        self.trees = trees.map { Tree($0) }
        self.treeOfEntity = treeOfEntity
    }

    func tree(_ entity: EntityIndex) -> Tree { trees[treeOfEntity[entity]] }

    /// Returns the index whose key begins with a slot and that has all rows of an entity.
    func index(leadingWith slot: Slot, of entity: EntityDescription) -> Int? {
        trees[treeOfEntity[entity.index]].indexes.firstIndex {
            $0.elements[0].slot == slot && $0.entities.contains(entity.index)
        }
    }

    private static func add(_ entity: EntityDescription, to tree: inout Draft) {
        for index in ModelIndex.declared(by: entity) {
            let position = add(index, to: &tree)
            if case .unique(let constraint) = index.purpose { tree.constraints.append(Constraint(constraint: constraint, index: position)) }
        }
    }

    /// Adds an index unless an equivalent one exists.
    private static func add(_ index: ModelIndex, to tree: inout Draft) -> Int {
        // An index that is reversed in all its elements is traversed backward.
        let isAscending = index.elements.first?.isAscending ?? true
        let elements = index.elements.map {
            IndexDescription.Element(slot: $0.slot, kind: $0.kind, isAscending: $0.isAscending == isAscending)
        }
        let entities = index.entity.tree
        if let known = tree.indexes.firstIndex(where: { $0.entities == entities && $0.elements == elements }) { return known }
        let position = tree.indexes.count
        tree.indexes.append(IndexShape(entities: entities, elements: elements))
        tree.descriptions.append(IndexDescription(position: position, name: index.title, entities: entities, elements: elements))
        return position
    }
}
