public import Observation
import StrataModel
import Synchronization

/// Reading properties within `withObservationTracking`, or in the closure of `Observations`, tells when they change.
///
/// That goes for objects of a context of the main actor, and of others that say so, see ``ManagedObjectContext/isObservable``. A change is told
/// however it comes: by assignment, by the other end of a relationship, by undoing, by merging what others saved. Where values are to be
/// read anew all properties of the object count as changed.
extension ManagedObject: Observable {
    /// Stands for a property, by its index, where key paths are asked for.
    subscript(observed property: Int) -> Bool { true }

    /// Takes note that a property is read.
    final func noteAccess(_ property: Int) {
        guard ObservationProbe.isTracking, let context = managedObjectContext else { return }
        context.observation.observedObjects.registrar(of: self).access(self, keyPath: \ManagedObject[observed: property])
    }

    /// Tells whoever observes it that a property is about to change.
    final func announceChange(_ property: Int) {
        guard flags.contains(.observed), withContext({ $0.observation.observedObjects.isEmpty }) == false,
            let registrar = withContext({ $0.observation.observedObjects[self] }) ?? nil
        else { return }
        announceChange(property, registrar)
    }

    /// Tells whoever observes it that values are about to be replaced.
    ///
    /// - Parameter properties: Which, where it is known.
    final func announceReplacement(of properties: PropertySet?) {
        guard flags.contains(.observed), let registrar = managedObjectContext?.observation.observedObjects[self] else { return }
        for property in entity.properties where properties?.contains(property.index) != false { announceChange(property.index, registrar) }
    }

    private func announceChange(_ property: Int, _ registrar: ObservationRegistrar) {
        let keyPath = \ManagedObject[observed: property]
        registrar.willSet(self, keyPath: keyPath)
        registrar.didSet(self, keyPath: keyPath)
    }
}

/// The objects of a context that somebody observed.
///
/// Guarded by a lock of its own: an object leaves as it goes, on any thread.
final class ObservedObjects: Sendable {
    private let registrars = Mutex<[ObjectIdentifier: ObservationRegistrar]>([:])
    /// Whether anybody ever observed one.
    private let hasBegun = Atomic(false)

    var isEmpty: Bool { !hasBegun.load(ordering: .relaxed) }

    subscript(object: ManagedObject) -> ObservationRegistrar? {
        let identifier = ObjectIdentifier(object)
        return isEmpty ? nil : registrars.withLock { $0[identifier] }
    }

    func registrar(of object: ManagedObject) -> ObservationRegistrar {
        hasBegun.store(true, ordering: .relaxed)
        let identifier = ObjectIdentifier(object)
        return registrars.withLock { registrars in
            if let known = registrars[identifier] { return known }
            let made = ObservationRegistrar()
            registrars[identifier] = made
            return made
        }
    }

    /// Forgets an object, which goes.
    ///
    /// - Returns: What is to be released when no lock is held any more: it may hold objects.
    func forget(_ object: ManagedObject) -> ObservationRegistrar? {
        let identifier = ObjectIdentifier(object)
        return isEmpty ? nil : registrars.withLock { $0.removeValue(forKey: identifier) }
    }

    func forgetAll() {
        let released = registrars.withLock { exchange(&$0, with: [:]) }
        withExtendedLifetime(released) {}
    }
}

extension ManagedObjectContext {
    /// Whether reading its objects' properties within `withObservationTracking` tells when they change.
    ///
    /// True of contexts of the main actor, false of others by default: it costs some nanoseconds at each reading of a property.
    public var isObservable: Bool {
        get { options.isObservable }
        set {
            assertQueue()
            options.isObservable = newValue
            for object in identity.all { object.markObserved(newValue) }
        }
    }
}
