/// Keeps a listener of save events; it gets no more events once this is cancelled or released.
public final class SaveEventSubscription: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }

    /// Removes the listener.
    ///
    /// An event that is on its way may still arrive.
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
    /// What other coordinators and processes save to a store is told where it was opened with
    /// ``/StrataStore/StoreOptions/postsRemoteChanges``, on a thread of the coordinator's own or of a save, some time
    /// soon after their commit: of each object in the order of its changes, and before a save of this coordinator to
    /// the same object that came later.
    ///
    /// A save over several stores that is decided is told although it throws `inDoubt` because a store missed it: with
    /// that store where the store gets it when it is opened again, without it where the store keeps nothing. A save of
    /// which it is not known whether it took effect (`inDoubt` or another error, with the recovery `reopen`) is not
    /// told, for its stores are closed; opening them again decides it, and tells nothing either. Who follows a store by
    /// its events reads anew what is in it whenever it was opened again.
    ///
    /// - Returns: What keeps the listener: without it, there are no events.
    public func observeSaves(_ listener: @escaping @Sendable (SaveEvent) -> Void) -> SaveEventSubscription {
        let number = events.add(listener)
        return SaveEventSubscription { [weak self] in self?.events.remove(number) }
    }

    /// Has a context be reached by batch requests.
    ///
    /// - Parameter isConcerned: Whether it may have objects that a request changes, asked on any thread: requests need
    ///   not list what they change where nobody has any.
    package func reachByBatches(
        _ isConcerned: @escaping @Sendable () -> Bool, _ listener: @escaping @Sendable (RemoteChanges) -> Void
    ) -> SaveEventSubscription {
        let number = events.add(isConcerned, listener)
        return SaveEventSubscription { [weak self] in self?.events.remove(number) }
    }

    /// The saves that begin from now on, in order, for a task to iterate over; they are kept until it comes to them.
    public var saveEvents: AsyncStream<SaveEvent> {
        AsyncStream { continuation in
            let subscription = observeSaves { continuation.yield($0) }
            continuation.onTermination = { _ in subscription.cancel() }
        }
    }
}
