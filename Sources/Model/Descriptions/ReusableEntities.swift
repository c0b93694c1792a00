import Synchronization

/// The entities of deallocated models of which IDs may exist, for equal models.
///
/// An ID holds its entity without a reference count, so the entity is never deallocated. The next equal model takes
/// the entities over: a thousand equal models, one after the other, have one set of descriptions.
enum ReusableEntities {
    private struct Released {
        let entities: [EntityDescription]
        /// The model, as ``ManagedObjectModel/encoded()`` returns it.
        let encodedModel: [UInt8]
    }

    /// By the version hashes of all entities.
    private static let released = Mutex<[[UInt8]: [Released]]>([:])

    /// Keeps the entities of a model that is being deallocated, where an ID of them may exist.
    static func add(_ entities: [EntityDescription], encodedModel: () throws -> [UInt8]) {
        // A model that cannot be encoded equals no other.
        guard !entities.allSatisfy({ $0.idScopes.isEmpty }), let encodedModel = try? encodedModel() else { return }
        released.withLock { $0[hash(entities), default: []].append(Released(entities: entities, encodedModel: encodedModel)) }
    }

    /// Returns the entities of an equal model that was deallocated, and does not keep them any longer; without one the
    /// compiled entities themselves.
    static func take(equalTo compiled: [EntityDescription], encodedModel: () throws -> [UInt8]) -> [EntityDescription] {
        let hash = hash(compiled)
        guard released.withLock({ $0[hash] != nil }), let encodedModel = try? encodedModel() else { return compiled }
        return released.withLock { released in
            let index = released[hash]?.lastIndex { $0.encodedModel == encodedModel && haveEqualTypes($0.entities, compiled) }
            guard let index, let found = released[hash]?.remove(at: index) else { return compiled }
            if released[hash]?.isEmpty == true { released[hash] = nil }
            return found.entities
        }
    }

    private static func hash(_ entities: [EntityDescription]) -> [UInt8] { entities.flatMap(\.versionHash) }

    /// Returns whether entities with equal encoded forms have equal classes and transformers, which that does not contain.
    private static func haveEqualTypes(_ a: [EntityDescription], _ b: [EntityDescription]) -> Bool {
        a.elementsEqual(b) { a, b in
            a.objectClass == b.objectClass
                && a.attributes.elementsEqual(b.attributes) { $0.declaration.transformer?.identity == $1.declaration.transformer?.identity }
        }
    }
}
