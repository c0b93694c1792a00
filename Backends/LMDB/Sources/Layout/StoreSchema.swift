import CStrataLMDB
import StrataEngine

/// The databases of an open store, by the model's indexes.
final class StoreSchema: Sendable {
    /// The rows of an entity hierarchy.
    struct Hierarchy: Sendable {
        let root: EntityIndex
        /// The model indexes of the hierarchy's entities.
        let entities: Range<EntityIndex>
        let rows: MDB_dbi
    }

    /// An index database: byte keys or references, each with the references of its rows.
    final class Index: Sendable {
        enum Kind: Sendable {
            case fetch
            /// The rows by the reference in a to-one slot.
            case inverse
            /// A uniqueness constraint over attributes; it does not contain rows with a nil value.
            case unique(names: [String])
        }

        let name: String
        /// The name in the model, or the purpose of the index.
        let title: String
        let kind: Kind
        let database: MDB_dbi
        let entities: Range<EntityIndex>
        let elements: [IndexDescription.Element]
        /// Whether an element may be in a file beside the store.
        let isExternal: Bool

        init(_ planned: SchemaPlan.Index, _ database: MDB_dbi) {
            name = planned.name
            title = planned.title
            kind = planned.kind
            self.database = database
            entities = planned.entities
            elements = planned.elements
            isExternal = planned.isExternal
        }

        /// - Throws: `StoreError` with `corrupt` if an element of a row is in an unreadable file.
        func requireAvailable(_ row: Row) throws {
            for element in elements where element.kind.isVariable { try ExternalStorage.requireAvailable(row, element.slot, for: .save) }
        }

        var isInverse: Bool { if case .inverse = kind { true } else { false } }

        var isUnique: Bool { if case .unique = kind { true } else { false } }
    }

    /// The links of a table, from either side.
    struct Links: Sendable {
        let table: LinkTable
        let first: MDB_dbi
        let second: MDB_dbi

        func database(_ side: LinkSide) -> MDB_dbi { side == .first ? first : second }
    }

    struct Databases {
        let store: MDB_dbi
        let hierarchies: [Hierarchy]
        let indexes: [Index]
        let links: [Links]
    }

    let model: ManagedObjectModel
    let store: MDB_dbi
    let generation: Int64
    let numbers: EntityNumbers
    let hierarchies: [Hierarchy]
    let indexes: [Index]
    /// The indexes over each hierarchy for the planner, by the index of the root.
    let descriptions: [[IndexDescription]]
    let links: [Int: Links]
    /// The indexes with rows of an entity, by the entity's index.
    let indexesOfEntity: [[Index]]
    /// The slots whose values may be in files beside the store, by the entity's index.
    let externalSlots: [[Slot]]
    /// The same of an entity and its sub-entities.
    let externalSlotsOfHierarchy: [Set<Slot>]
    /// The hierarchies by the index of the root; `nil` for other entities, and those of other stores.
    private let hierarchyOfRoot: [Hierarchy?]

    init(model: ManagedObjectModel, generation: Int64, numbers: EntityNumbers, databases: Databases) {
        self.model = model
        self.generation = generation
        self.numbers = numbers
        let (hierarchies, indexes) = (databases.hierarchies, databases.indexes)
        store = databases.store
        self.hierarchies = hierarchies
        self.indexes = indexes
        var hierarchyOfRoot: [Hierarchy?] = model.entities.map { _ in nil }
        for hierarchy in hierarchies { hierarchyOfRoot[hierarchy.root] = hierarchy }
        self.hierarchyOfRoot = hierarchyOfRoot
        var descriptions: [[IndexDescription]] = model.entities.map { _ in [] }
        for (position, index) in indexes.enumerated() {
            descriptions[model.entities[index.entities.lowerBound].root].append(
                IndexDescription(
                    position: position, name: index.title, entities: index.entities,
                    elements: index.elements, holdsNull: !index.isInverse && !index.isUnique, isUnique: index.isUnique,
                    isOrdered: !index.isInverse))
        }
        self.descriptions = descriptions
        self.links = Dictionary(databases.links.map { ($0.table.index, $0) }) { first, _ in first }
        indexesOfEntity = model.entities.map { entity in indexes.filter { $0.entities.contains(entity.index) } }
        let externalSlots = model.entities.map(ExternalStorage.slots)
        self.externalSlots = externalSlots
        externalSlotsOfHierarchy = model.entities.map { entity in Set(entity.hierarchy.flatMap { externalSlots[$0] }) }
    }

    /// Returns the hierarchy of a root; `nil` if the store has none.
    func hierarchy(_ root: EntityIndex) -> Hierarchy? { hierarchyOfRoot.typedIndices().contains(root) ? hierarchyOfRoot[root] : nil }
}

/// The entity numbers in the file's rows; they differ from the model's if that gained entities of other stores.
struct EntityNumbers: Sendable {
    /// The numbers in the file, by the model's index; -1 for an entity of another store.
    let inFile: [Int]
    private let inModel: [Int: EntityIndex]
    let areModelIndexes: Bool

    init(model: ManagedObjectModel, catalog: Catalog) {
        var inFile = Array(repeating: -1, count: model.entities.count)
        var inModel: [Int: EntityIndex] = [:]
        for entity in catalog.entities {
            guard let index = model.entity(named: entity.name)?.index else { continue }
            inFile[index] = entity.number
            inModel[entity.number] = index
        }
        self.inFile = inFile
        self.inModel = inModel
        areModelIndexes = inFile.enumerated().allSatisfy { $1 == -1 || $0 == $1 }
    }

    func modelIndex(_ number: Int) -> EntityIndex? { inModel[number] }
}
