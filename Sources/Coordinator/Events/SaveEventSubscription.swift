/// A listener of save events, until it is cancelled or released.
public final class SaveEventSubscription: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }

    /// Removes the listener.
    ///
    /// An event under way may still arrive.
    public func cancel() { end() }
}

extension PersistentStoreCoordinator {
    /// Notifies a listener of every save and batch request of this coordinator that changes objects and begins from now
    /// on.
    ///
    /// Events come one at a time, in the order in which the stores took the changes, on the thread of one of the saves,
    /// mostly of its own and before that save returns. So the listener should be quick, and must not save over this
    /// coordinator and wait for the event.
    ///
    /// Saves of other coordinators and processes are reported where the store was opened with
    /// ``/StrataStore/StoreOptions/postsRemoteChanges``, on a thread of the coordinator's own or of a save, soon after
    /// their commit: for each object in the order of its changes, and before a later save of this coordinator to the
    /// same object.
    ///
    /// A two-phase commit that is decided is reported although it throws `inDoubt` because a store missed it: with that
    /// store where the store gets it when it is opened again, without it where the store is not persistent. A save with
    /// an unknown outcome (`inDoubt` or another error, with the recovery `reopen`) is not reported, as its stores are
    /// closed; opening them again decides it without a report. A listener that mirrors a store reads it anew whenever
    /// it was opened again.
    ///
    /// - Returns: The subscription, which the caller retains.
    public func observeSaves(_ listener: @escaping @Sendable (SaveEvent) -> Void) -> SaveEventSubscription {
        let number = events.add(listener)
        return SaveEventSubscription { [weak self] in self?.events.remove(number) }
    }

    /// Adds a context that batch requests reach.
    ///
    /// - Parameter isConcerned: Whether it may have objects that a request changes, called on any thread: requests need
    ///   not list changes where no context has any.
    package func reachByBatches(
        _ isConcerned: @escaping @Sendable () -> Bool, _ listener: @escaping @Sendable (RemoteChanges) -> Void
    ) -> SaveEventSubscription {
        let number = events.add(isConcerned, listener)
        return SaveEventSubscription { [weak self] in self?.events.remove(number) }
    }

    /// The saves from now on, in order, as a sequence, which buffers them.
    public var saveEvents: AsyncStream<SaveEvent> {
        AsyncStream { continuation in
            let subscription = observeSaves { continuation.yield($0) }
            continuation.onTermination = { _ in subscription.cancel() }
        }
    }
}
