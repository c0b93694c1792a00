public import Observation
import StrataModel
import Synchronization

/// Properties read within `withObservationTracking`, or in the closure of `Observations`, notify of their changes.
///
/// That holds for contexts of the main actor, and those that enable it, see ``ManagedObjectContext/isObservable``.
/// Changes include assignments, those by the other end of a relationship, undo, and merged saves. Where values are to
/// be read anew all properties of the object count as changed.
extension ManagedObject: Observable {
    /// The key path of a property, by its index, for `Observation`.
    subscript(observed property: Int) -> Bool { true }

    /// The key path by which an observer of a relationship retains its destinations.
    fileprivate subscript(retained _: ObservedDestinations) -> Bool { true }

    /// Registers a read of a property of an observable object, where the thread tracks reads.
    ///
    /// - Returns: Whether it does.
    @inline(__always)
    @discardableResult
    final func noteAccess(_ property: Int) -> Bool {
        guard isTracked else { return false }
        registerAccess(property)
        return true
    }

    /// Whether the context's observers track accesses now.
    @inline(__always)
    private final var isTracked: Bool { withContext { $0.observation.observedObjects.isTracking } == true }

    @inline(never)
    private final func registerAccess(_ property: Int) {
        guard let context = managedObjectContext else { return }
        markAccessed()
        context.observation.observedObjects.registrar(of: self).access(self, keyPath: \ManagedObject[observed: property])
        if context.tracker.hasDeletions { context.scheduleDeleteRules() }
    }

    /// Has an observer whose read of a relationship was registered retain the destinations until it is notified, or the
    /// context ends: the properties that it reads of them are observed as long as they exist.
    final func retainObserved(_ destinations: [ManagedObject]) {
        guard let registrar = withContext({ $0.observation.observedObjects[self] }) ?? nil else { return }
        registrar.access(self, keyPath: \ManagedObject[retained: ObservedDestinations(destinations)])
    }

    /// Whether observers may have read properties of the object.
    @inline(__always)
    final var isObserved: Bool { flags.rawValue & ObjectFlags.observedAndAccessed == ObjectFlags.observedAndAccessed }

    /// Notifies observers that a property is about to change.
    final func announceChange(_ property: Int) {
        guard isObserved, let registrar = withContext({ $0.observation.observedObjects[self] }) ?? nil else { return }
        announceChange(property, registrar)
    }

    /// Notifies observers that values are about to be replaced.
    ///
    /// - Parameter properties: The properties, where known.
    final func announceReplacement(of properties: PropertySet?) {
        guard isObserved, let registrar = managedObjectContext?.observation.observedObjects[self] else { return }
        for property in entity.properties where properties?.contains(property.index) != false { announceChange(property.index, registrar) }
    }

    private func announceChange(_ property: Int, _ registrar: ObservationRegistrar) {
        let keyPath = \ManagedObject[observed: property]
        registrar.willSet(self, keyPath: keyPath)
        registrar.didSet(self, keyPath: keyPath)
    }
}

/// The destinations of a relationship that an observer read.
private final class ObservedDestinations: Hashable {
    private let objects: [ManagedObject]

    init(_ objects: [ManagedObject]) { self.objects = objects }

    static func == (a: ObservedDestinations, b: ObservedDestinations) -> Bool { a === b }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    deinit { LeavingList.releaseAll(objects) }
}

/// The observed objects of a context.
///
/// It has a lock of its own: an object leaves when it is deallocated, on any thread.
// Unchecked: the probe is `Sendable`.
@safe final class ObservedObjects: @unchecked Sendable {
    // Unmanaged, as each read of a property would retain it.
    @safe private let probe = unsafe Unmanaged.passRetained(ObservationProbe())
    private let registrars = Mutex<[ObjectIdentifier: ObservationRegistrar]>([:])

    deinit { unsafe probe.release() }

    /// Whether accesses are tracked now, see ``ObservationProbe``.
    @inline(__always)
    var isTracking: Bool { unsafe probe._withUnsafeGuaranteedRef { $0.isTracking } }

    var isEmpty: Bool { registrars.withLock { $0.isEmpty } }

    subscript(object: ManagedObject) -> ObservationRegistrar? {
        let identifier = ObjectIdentifier(object)
        return registrars.withLock { $0[identifier] }
    }

    func registrar(of object: ManagedObject) -> ObservationRegistrar {
        let identifier = ObjectIdentifier(object)
        return registrars.withLock { registrars in
            if let known = registrars[identifier] { return known }
            let made = ObservationRegistrar()
            registrars[identifier] = made
            return made
        }
    }

    /// Forgets an object that is being deallocated; returns the registrar, which is to be released without a lock, as
    /// it may retain objects.
    func forget(_ object: ManagedObject) -> ObservationRegistrar? {
        let identifier = ObjectIdentifier(object)
        return registrars.withLock { $0.removeValue(forKey: identifier) }
    }

    func forgetAll() {
        let released = registrars.withLock { exchange(&$0, with: [:]) }
        withExtendedLifetime(released) {}
    }
}

extension ManagedObjectContext {
    /// Whether properties read within `withObservationTracking` notify of their changes.
    ///
    /// True for contexts of the main actor, false for others by default: it costs some nanoseconds at each read of a
    /// property.
    public var isObservable: Bool {
        get { options.isObservable }
        set {
            assertQueue()
            options.isObservable = newValue
            for object in identity.all { object.markObserved(newValue) }
        }
    }
}
