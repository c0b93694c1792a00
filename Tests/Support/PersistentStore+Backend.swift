package import StrataStore
import Testing

extension PersistentStore {
    /// The store as its coordinator uses it.
    package var backend: any StoreBackend {
        get throws { try #require(self as? any StoreBackend) }
    }
}
