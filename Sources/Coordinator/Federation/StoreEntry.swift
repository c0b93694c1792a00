import StrataModel
import StrataStore

/// A store with what its coordinator knows of it.
final class StoreEntry: Sendable {
    let store: any PersistentStore
    let description: StoreDescription
    /// The indexes of the entities that the store holds.
    let entities: Set<Int>
    let scopes: ObjectIDScopes

    init(store: any PersistentStore, description: StoreDescription, entities: Set<Int>, scopes: ObjectIDScopes) {
        self.store = store
        self.description = description
        self.entities = entities
        self.scopes = scopes
    }

    /// Whether the store can hold objects of any of some entities.
    func holds(anyOf range: Range<Int>) -> Bool { range.contains { entities.contains($0) } }
}
