import StrataModel
import Synchronization

/// The models of coordinators that are there: what a class's one entity is looked up in.
enum ModelsInUse {
    private struct Reference {
        weak var model: NSManagedObjectModel?
    }

    private static let models = Mutex<[Reference]>([])

    /// Takes note of a model that a coordinator was made with.
    static func add(_ model: NSManagedObjectModel) {
        models.withLock { models in
            models.removeAll { $0.model == nil || $0.model === model }
            models.append(Reference(model: model))
        }
    }

    /// The entity that names a class, in the model that was used last of those that have one.
    static func onlyEntity(of type: NSManagedObject.Type) -> NSEntityDescription? {
        for model in models.withLock({ $0.compactMap(\.model) }).reversed() {
            let entities = (try? model.compiled())?.entities.filter { $0.objectClass == type } ?? []
            // A sub-entity that names no class of its own has its parent's, and is not meant.
            let own = entities.filter { entity in !entities.contains { $0.index == entity.superentity } }
            if own.count == 1 { return own[0].counterpart }
        }
        return nil
    }

    /// The entity that names a class.
    ///
    /// - Precondition: There is exactly one.
    static func entity(of type: NSManagedObject.Type) -> NSEntityDescription {
        guard let entity = onlyEntity(of: type) else {
            programmerError("No NSEntityDescriptions in any model claim the NSManagedObject subclass '\(type)' so +entity is confused.")
        }
        return entity
    }

    /// The entity with a name, in the model that was used last of those that have one.
    ///
    /// - Precondition: There is one.
    static func entity(named name: String) -> NSEntityDescription {
        for model in models.withLock({ $0.compactMap(\.model) }).reversed() {
            if let entity = model.entitiesByName[name] { return entity }
        }
        programmerError("No NSEntityDescription named '\(name)' is in any model that is used.")
    }
}
