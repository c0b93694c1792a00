import StrataModel
import Synchronization

/// The entities of objects without a context, each in a model of the classes that its class references.
enum UnattachedEntities {
    private static let known = Mutex<[ObjectIdentifier: UnattachedScope]>([:])
    private static let nextReference = Atomic<Int64>(-1)

    /// The ID of an object until its class is known.
    static let unsettledID: ObjectID = {
        guard let scope = unsettled?.scope else { programmerError("the model of unattached objects is unsound") }
        return ObjectID(scope: scope, reference: .min)
    }()

    private static let unsettled = (try? ManagedObjectModel { Entity("unsettled") }).flatMap { UnattachedScope($0, "unsettled") }

    /// Returns an ID of the entity that a class declares.
    ///
    /// - Precondition: The class declares one, and the model of all classes that it references is valid.
    static func newID(of type: ManagedObject.Type) -> ObjectID {
        ObjectID(scope: scope(of: type), reference: nextReference.subtract(1, ordering: .relaxed).oldValue)
    }

    static func newID(of entity: EntityDescription) -> ObjectID {
        ObjectID(scope: ObjectIDScope(storeID: nil, entity: entity), reference: nextReference.subtract(1, ordering: .relaxed).oldValue)
    }

    private static func scope(of type: ManagedObject.Type) -> ObjectIDScope {
        if let known = known.withLock({ $0[ObjectIdentifier(type)] }) { return known.scope }
        guard let declaration = type.entityDeclaration
        else { programmerError("\(type) does not say its entity, as a class of @Model does: make its objects with init(context:)") }
        do {
            let model = try ManagedObjectModel(classes: [type])
            guard let made = UnattachedScope(model, declaration.entity.name)
            else { programmerError("the model of \(type) is without its entity") }
            return known.withLock { known in
                if let scope = known[ObjectIdentifier(type)]?.scope { return scope }
                known[ObjectIdentifier(type)] = made
                return made.scope
            }
        } catch {
            programmerError("\(type) declares no sound entity: \(error)")
        }
    }
}

/// The scope of objects that are not in a context.
struct UnattachedScope: Sendable {
    let scope: ObjectIDScope
    /// Retained: an equal model would take its entity over, and the scope with it.
    private let model: ManagedObjectModel

    /// Creates the scope of an entity; `nil` if the model has none of that name.
    init?(_ model: ManagedObjectModel, _ entityName: String) {
        guard let entity = model.entity(named: entityName) else { return nil }
        scope = ObjectIDScope(storeID: nil, entity: entity)
        self.model = model
    }
}

extension ManagedObject {
    /// Whether the object was never in a context; contexts number their objects from the least number on.
    final var isUnattached: Bool {
        managedObjectContext == nil && objectID.scope.isTemporary && (Int64.min / 2..<0).contains(objectID.reference)
    }

    /// Whether a context had the object, and forgot it with all its values.
    package final var isLeftEmpty: Bool { row == nil && extra == nil && !hasContext && !isUnattached }

    /// Gives an object that was left empty values of its own, initially none.
    package final func beginEmpty() { if isLeftEmpty { _ = makeExtra() } }

    /// Gives an object without a context its entity and initial values.
    final func settleWithoutContext() {
        guard objectID.scope == UnattachedEntities.unsettledID.scope else { return }
        objectID = UnattachedEntities.newID(of: type(of: self))
        beginWithoutContext()
    }

    /// Gives an object without a context its initial values.
    package final func beginWithoutContext() {
        for attribute in entity.attributes where !attribute.defaultValue.isNull { change(attribute.index, to: attribute.defaultValue) }
        setInitialValues()
    }
}
