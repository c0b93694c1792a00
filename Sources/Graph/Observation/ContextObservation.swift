/// Who is notified of changes in a context: listeners, live queries, and `Observation`.
struct ContextObservation {
    /// The listeners and live queries; `nil` where there are none.
    var listeners: ContextListeners?
    /// Whether objects record who reads their properties.
    var observesAccesses: Bool
    /// The objects whose properties were read within `withObservationTracking`.
    let observedObjects = ObservedObjects()
    /// The iterators of live queries that wait for changes, signaled from any thread.
    let signals = LiveSignals()

    init(observesAccesses: Bool) { self.observesAccesses = observesAccesses }
}
