import StrataEngine
import StrataModel
import StrataStore

/// Everything in a shelf: a value, so that who reads has a snapshot, and who writes a state of its own.
struct ShelfState: Sendable {
    let schema: ShelfSchema
    var metadata: StoreMetadata
    /// By the index of the root entity.
    var hierarchies: [EntityIndex: ShelfHierarchy] = [:]
    /// By the index of the table.
    var links: [Int: [Link]] = [:]
    /// The greatest reference ever given out in a hierarchy, by the index of its root entity.
    var lastReference: [EntityIndex: Int64] = [:]

    func row(root: EntityIndex, reference: Int64) -> Row? { hierarchies[root]?.row(reference) }

    func entries(_ index: IndexDescription, root: EntityIndex) -> [ShelfHierarchy.Entry] { hierarchies[root]?.entries(index) ?? [] }
}

/// The model, and the indexes that it asks for.
final class ShelfSchema: Sendable {
    let model: ManagedObjectModel
    /// By the index of the root entity.
    let indexes: [EntityIndex: [IndexDescription]]

    init(_ model: ManagedObjectModel) {
        self.model = model
        var indexes: [EntityIndex: [IndexDescription]] = [:]
        for entity in model.entities {
            for index in ModelIndex.declared(by: entity) {
                let position = indexes[entity.root]?.count ?? 0
                // A row without a value breaks no constraint: were it in the index, several would have one key.
                let isUnique = if case .unique = index.purpose { true } else { false }
                indexes[entity.root, default: []].append(
                    IndexDescription(
                        position: position, name: index.title, entities: entity.hierarchy, elements: index.elements, holdsNull: !isUnique,
                        isUnique: isUnique))
            }
        }
        self.indexes = indexes
    }

    /// The index over a slot of an entity's rows: other entities of the hierarchy may have other properties in the same slot.
    func index(over slot: Slot, of entity: EntityDescription) -> IndexDescription? {
        indexes[entity.root]?.first { $0.elements.map(\.slot) == [slot] && $0.holdsNull && $0.entities.contains(entity.index) }
    }
}
