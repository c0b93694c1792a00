import StrataGraph
import StrataModel
import Synchronization

/// The description of Core Data's that each compiled entity was made of.
enum Counterparts {
    /// By the serial number of the compiled entity, which is unique in the process.
    private static let references = Mutex<[UInt32: EntityReference]>([:])

    static func add(_ entity: NSEntityDescription, for compiled: EntityDescription) {
        references.withLock { $0[compiled.serial] = EntityReference(wrappedValue: entity) }
    }

    /// Removes an entity that is being deallocated; an equal model may use what it was compiled to by now.
    static func remove(_ entity: NSEntityDescription, for compiled: EntityDescription) {
        references.withLock { if $0[compiled.serial]?.isReference(to: entity) == true { $0[compiled.serial] = nil } }
    }

    static func entity(of compiled: EntityDescription) -> NSEntityDescription? {
        references.withLock { $0[compiled.serial]?.wrappedValue }
    }
}

extension EntityDescription {
    /// The description that the entity was compiled from; traps if it was deallocated, or is not one of Core Data's.
    var counterpart: NSEntityDescription {
        guard let entity = Counterparts.entity(of: self) else { programmerError("The model of the entity '\(name)' is gone.") }
        return entity
    }
}

/// A weak reference to an entity's description, passed for each created object without side-table counting.
@propertyWrapper
struct EntityReference {
    private var weakReference: WeakBox<NSEntityDescription>?

    init(wrappedValue: NSEntityDescription?) { weakReference = wrappedValue?.weakReference }

    /// Returns whether it was made of an entity, which may be being deallocated.
    func isReference(to entity: NSEntityDescription) -> Bool { weakReference === entity.weakReference }

    var wrappedValue: NSEntityDescription? {
        get { weakReference?.object }
        set { weakReference = newValue?.weakReference }
    }
}

/// The models of live coordinators: a class's one entity is looked up in them.
enum ModelsInUse {
    private struct Reference {
        weak var model: NSManagedObjectModel?
    }

    private static let models = Mutex<[Reference]>([])

    /// Adds the model of a new coordinator.
    static func add(_ model: NSManagedObjectModel) {
        models.withLock { models in
            models.removeAll { $0.model == nil || $0.model === model }
            models.append(Reference(model: model))
        }
    }

    /// Returns the entity that names a class, in the most recently used model with one.
    static func onlyEntity(of type: NSManagedObject.Type) -> NSEntityDescription? {
        for model in models.withLock({ $0.compactMap(\.model) }).reversed() {
            let entities = (try? model.compiled())?.entities.filter { $0.objectClass == type } ?? []
            // A sub-entity without a class of its own inherits its parent's, and does not count.
            let own = entities.filter { entity in !entities.contains { $0.index == entity.superentity } }
            if own.count == 1 { return own[0].counterpart }
        }
        return nil
    }

    /// Returns the entity that names a class; one without name, which is logged, unless there is exactly one.
    ///
    /// Core Data's own answer is nil there, whose name is nil in Swift, too.
    static func entity(of type: NSManagedObject.Type) -> NSEntityDescription {
        if let entity = onlyEntity(of: type) { return entity }
        ModelLog.say("No NSEntityDescriptions in any model claim the NSManagedObject subclass '\(type)' so +entity is confused.")
        return NSEntityDescription()
    }

    /// Returns the entity with a name, in the most recently used model with one; traps if there is none.
    static func entity(named name: String) -> NSEntityDescription {
        for model in models.withLock({ $0.compactMap(\.model) }).reversed() {
            if let entity = model.entitiesByName[name] { return entity }
        }
        programmerError("No NSEntityDescription named '\(name)' is in any model that is used.")
    }
}
