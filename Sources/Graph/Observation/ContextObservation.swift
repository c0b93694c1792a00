/// Who is notified of changes in a context: listeners, live queries, and `Observation`.
// All are constants of a constant of the context: reading them takes no reference count in each change of an object.
struct ContextObservation {
    /// The listeners and live queries.
    private let registration = ListenerRegistration()
    /// The objects whose properties were read within `withObservationTracking`.
    let observedObjects = ObservedObjects()
    /// The iterators of live queries that wait for changes, signaled from any thread.
    let signals = LiveSignals()

    /// The listeners and live queries; `nil` where there are none.
    var listeners: ContextListeners? { registration.listeners }

    func setListeners(_ listeners: ContextListeners?) { registration.listeners = listeners }
}

/// The listeners of a context, which come and go.
private final class ListenerRegistration {
    var listeners: ContextListeners?
}
