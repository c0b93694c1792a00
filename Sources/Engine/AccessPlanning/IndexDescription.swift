/// An index as a planner sees it: ``ModelIndex`` is one that a model requires, this one that an engine has.
public final class IndexDescription: Sendable {
    /// One slot of the key.
    public struct Element: Sendable, Hashable {
        /// The slot of the row that the keys come from.
        public let slot: Slot
        /// The kind of the slot's value.
        public let kind: SlotKind
        /// Whether the index is ascending.
        public let isAscending: Bool

        /// Creates a slot of a key.
        public init(slot: Slot, kind: SlotKind, isAscending: Bool = true) {
            self.slot = slot
            self.kind = kind
            self.isAscending = isAscending
        }
    }

    /// The position among the engine's indexes of the entity hierarchy.
    public let position: Int
    /// The name in explanations.
    public let name: String
    /// The indexes of the entities whose rows are in the index.
    public let entities: Range<EntityIndex>
    /// The key, the most significant slot first.
    public let elements: [Element]
    /// Whether rows without a value for an element are in the index.
    public let holdsNull: Bool
    /// Whether no two rows have one key.
    public let isUnique: Bool
    /// Whether the index is sorted, so that it can be searched for ranges.
    public let isOrdered: Bool

    /// Creates an index to plan with.
    public init(
        position: Int, name: String, entities: Range<EntityIndex>, elements: [Element], holdsNull: Bool = true, isUnique: Bool = false,
        isOrdered: Bool = true
    ) {
        self.position = position
        self.name = name
        self.entities = entities
        self.elements = elements
        self.holdsNull = holdsNull
        self.isUnique = isUnique
        self.isOrdered = isOrdered
    }

    func begins(with conditions: [SlotCondition]) -> Bool { conditions.contains { $0.slot == elements[0].slot } }

    func covers(_ entities: Range<EntityIndex>) -> Bool {
        self.entities.lowerBound <= entities.lowerBound && self.entities.upperBound >= entities.upperBound
    }
}
