/// The listeners, live queries and `Observation` observers that are notified of changes in a context.
// Constants of a constant of the context: reading them takes no reference count in each change of an object.
struct ContextObservation {
    private let registration = ListenerRegistration()
    let observedObjects = ObservedObjects()
    /// The iterators of live queries that wait for changes, signaled from any thread.
    let signals = LiveSignals()

    var listeners: ContextListeners? { registration.listeners }

    func setListeners(_ listeners: ContextListeners?) { registration.listeners = listeners }

    /// Whether the end of an event is scheduled for observers of properties, without listeners.
    var isEndScheduled: Bool {
        get { registration.isEndScheduled }
        nonmutating set { registration.isEndScheduled = newValue }
    }
}

private final class ListenerRegistration {
    var listeners: ContextListeners?
    var isEndScheduled = false
}
