import StrataModel
import StrataStore

/// A store with what its coordinator knows of it.
struct StoreEntry: Sendable {
    let store: any PersistentStore
    let description: StoreDescription
    /// The indexes of the entities that the store holds.
    let entities: Set<Int>
    let scopes: ObjectIDScopes

    /// Whether the store can hold objects of any of some entities.
    func holds(anyOf range: Range<Int>) -> Bool { range.contains { entities.contains($0) } }
}
