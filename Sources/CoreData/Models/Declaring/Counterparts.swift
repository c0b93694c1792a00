import StrataModel
import Synchronization

/// The description of Core Data's that each compiled entity was made of.
enum Counterparts {
    /// By the serial number of the compiled entity, which is unique in the process.
    private static let references = Mutex<[UInt32: EntityReference]>([:])

    static func add(_ entity: NSEntityDescription, for compiled: EntityDescription) {
        references.withLock { $0[compiled.serial] = EntityReference(wrappedValue: entity) }
    }

    static func remove(_ compiled: EntityDescription) {
        references.withLock { $0[compiled.serial] = nil }
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
