import Synchronization

/// The scopes of an entity by store; those of its whole model, too, where it is the first entity of that.
struct ScopeTable: ~Copyable, Sendable {
    private struct Known {
        var scopes: [StoreID?: ObjectIDScope] = [:]
        var scopesOfModel: [StoreID?: ObjectIDScopes] = [:]
    }

    private let known = Mutex(Known())

    /// Whether IDs of the entity may exist.
    var isEmpty: Bool { known.withLock { $0.scopes.isEmpty } }

    /// Returns the scope in a store, which `make` creates once.
    func scope(_ storeID: StoreID?, _ make: () -> ObjectIDScope) -> ObjectIDScope {
        known.withLock { known in
            if let scope = known.scopes[storeID] { return scope }
            let scope = make()
            known.scopes[storeID] = scope
            return scope
        }
    }

    /// Returns the scopes of the model in a store; `make`, which may be called by several threads at once, creates them.
    func scopes(_ storeID: StoreID?, _ make: () -> ObjectIDScopes) -> ObjectIDScopes {
        if let scopes = known.withLock({ $0.scopesOfModel[storeID] }) { return scopes }
        let made = make()
        return known.withLock { known in
            if let scopes = known.scopesOfModel[storeID] { return scopes }
            known.scopesOfModel[storeID] = made
            return made
        }
    }
}
