import StrataModel
import Synchronization

/// The entities of objects that are in no context yet: each class's own, in a model of what it reaches.
enum UnattachedEntities {
    private static let known = Mutex<[ObjectIdentifier: ObjectIDScope]>([:])
    private static let nextReference = Atomic<Int64>(-1)

    /// The ID that an object has until its class is known.
    static let unsettledID: ObjectID = {
        guard let scope = KeyPathProbe.scope else { programmerError("the model of unattached objects is unsound") }
        return ObjectID(scope: ObjectIDScope(storeID: nil, entity: scope.entity), reference: .min)
    }()

    /// Returns an ID of the entity that a class declares.
    ///
    /// - Precondition: The class declares one, and the model of all that it reaches is sound.
    static func newID(of type: ManagedObject.Type) -> ObjectID {
        ObjectID(scope: scope(of: type), reference: nextReference.subtract(1, ordering: .relaxed).oldValue)
    }

    /// Returns an ID of an entity of a model.
    static func newID(of entity: EntityDescription) -> ObjectID {
        ObjectID(
            scope: ObjectIDScope(storeID: nil, entity: entity), reference: nextReference.subtract(1, ordering: .relaxed).oldValue)
    }

    private static func scope(of type: ManagedObject.Type) -> ObjectIDScope {
        if let scope = known.withLock({ $0[ObjectIdentifier(type)] }) { return scope }
        guard let declaration = type.entityDeclaration else {
            programmerError("\(type) does not say its entity, as a class of @Model does: make its objects with init(context:)")
        }
        do {
            let model = try ManagedObjectModel(classes: [type])
            guard let entity = model.entity(named: declaration.entity.name) else {
                programmerError("the model of \(type) is without its entity")
            }
            let scope = ObjectIDScope(storeID: nil, entity: entity)
            known.withLock { $0[ObjectIdentifier(type)] = scope }
            return scope
        } catch {
            programmerError("\(type) declares no sound entity: \(error)")
        }
    }
}

extension ManagedObject {
    /// Whether the object is one that was made without a context and never was in any; contexts number theirs from the least number on.
    final var isUnattached: Bool {
        managedObjectContext == nil && objectID.scope.isTemporary && (Int64.min / 2..<0).contains(objectID.reference)
    }

    /// Whether a context had the object, and forgot it with all that it held.
    package final var isLeftEmpty: Bool { row == nil && extra == nil && !hasContext && !isUnattached }

    /// Has an object that is left empty hold values of its own, none of which is given yet.
    package final func beginEmpty() { if isLeftEmpty { _ = makeExtra() } }

    /// Gives an object without a context its entity, and the values that it begins with.
    final func settleWithoutContext() {
        guard objectID.scope === UnattachedEntities.unsettledID.scope else { return }
        objectID = UnattachedEntities.newID(of: type(of: self))
        beginWithoutContext()
    }

    /// Gives an object without a context the values that it begins with.
    package final func beginWithoutContext() {
        for attribute in entity.attributes where !attribute.defaultValue.isNull { change(attribute.index, to: attribute.defaultValue) }
        setInitialValues()
    }
}
