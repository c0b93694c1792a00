package import StrataModel
import StrataStore

/// The references to a context and its objects that its end has to clear.
struct ContextLifetime {
    /// The weak reference by which closures on other threads reach the context.
    let weakReference = WeakBox<ManagedObjectContext>()
    /// The counterpart of the context in a module with other names for the graph.
    var counterpart: WeakBox<AnyObject>?
    /// Whether any object retains destinations: such objects may form cycles, which the context breaks at its end.
    var hasRetainedDestinations = false
}

extension ManagedObjectContext {
    var weakReference: WeakBox<ManagedObjectContext> { lifetime.weakReference }

    package var counterpart: WeakBox<AnyObject>? { lifetime.counterpart }

    /// Connects the context with its counterpart and adopts the semantics of its interface; `nil` disconnects it.
    package func setCounterpart(_ counterpart: WeakBox<AnyObject>?) {
        lifetime.counterpart = counterpart
        options.semantics = counterpart == nil ? .strata : .coreData
    }

    /// Returns the origin of a new object, which ``register(inserted:)`` registers once it is made; throws `StoreError`
    /// with `unknownEntity` when the entity is abstract, or of another model.
    package func originOfNewObject(of entity: EntityDescription) throws -> ObjectOrigin {
        guard model.entities.typedIndices().contains(entity.index), model.entities[entity.index] === entity
        else { throw StoreError(.unknownEntity, .insert, "the entity is of another model", entity: entity.name) }
        guard !entity.isAbstract else { throw StoreError(.unknownEntity, .insert, "the entity is abstract", entity: entity.name) }
        return ObjectOrigin(id: identity.newTemporaryID(entity.index), context: self)
    }

    /// Records the error of an accessor of a module with other names, which could not read a value, or not set it.
    package func noteFailedAccess(_ error: any Error, of object: ManagedObject, _ key: String, isRead: Bool) {
        failedAccesses.add(error, of: object, key, isAnswered: isRead)
    }
}
