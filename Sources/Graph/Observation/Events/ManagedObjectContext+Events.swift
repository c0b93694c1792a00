import StrataCoordinator
import StrataModel

extension ManagedObjectContext {
    /// Notifies a listener, on the context's thread, of changes of its objects.
    ///
    /// Nothing is recorded without a listener. A listener may read, and may change objects, which the next event
    /// reports; it does not save the context.
    ///
    /// ```swift
    /// let subscription = context.observeEvents { event in
    ///     for person in event.updated where event.changedProperties(of: person)?.contains("name") != false { show(person) }
    /// }
    /// ```
    /// - Returns: The subscription: the listener is notified as long as it is retained.
    public func observeEvents(_ listener: @escaping (ContextEvent) -> Void) -> ContextEventSubscription {
        assertQueue()
        return ContextEventSubscription(self, addListener(listener))
    }

    /// The changes of the context's objects from now on, by ID, as a sequence, which buffers them.
    ///
    /// It ends with the context.
    public var events: AsyncStream<ContextChange> {
        assertQueue()
        return AsyncStream { continuation in
            let sequence = EventSequence(continuation)
            sequence.listener = addListener { [weakReference] event in
                // The sequence ends on another thread.
                guard case .terminated = sequence.continuation.yield(event.change), let listener = sequence.listener else { return }
                weakReference.object?.removeListener(listener)
            }
        }
    }

    @discardableResult
    package func addListener(_ listener: @escaping (ContextEvent) -> Void) -> Int {
        let listeners = makeListeners()
        listeners.recorder.keepStarts(isPartial: !tracker.isUnchanged)
        return listeners.add(listener)
    }

    private func makeListeners() -> ContextListeners {
        if let listeners = observation.listeners { return listeners }
        let recorder = ChangeRecorder { [weakReference] in weakReference.object?.scheduleEndOfEvent() }
        let made = ContextListeners(recorder, of: self)
        observation.setListeners(made)
        // Batch requests reach listeners, too.
        identity.registrationFlag.begin()
        return made
    }

    /// Notifies a live query of events that can affect it; returns its number for ``removeListener(_:)``.
    func subscribe(_ interest: QueryInterest, _ notify: @escaping (ContextEvent, ChangeSummary) -> Void) -> Int {
        makeListeners().add(LiveQueries.Subscriber(interest: interest, notify: notify))
    }

    package func removeListener(_ number: Int) {
        guard let listeners = observation.listeners else { return }
        listeners.remove(number)
        guard listeners.isEmpty else { return }
        listeners.recorder.forget()
        observation.setListeners(nil)
        tracker.recorder = nil
    }

    /// Returns the state of an object before the current event, or the one being delivered; `nil` where unchanged.
    ///
    /// Starts recording events.
    func eventStart(of object: ManagedObject) -> EventStart? {
        let listeners = makeListeners()
        if listeners.keepsNothing { listeners.ask() }
        listeners.recorder.keepStarts(isPartial: !tracker.isUnchanged)
        return listeners.delivered?.starts?[object] ?? listeners.recorder.start(of: object)
    }

    /// Schedules the delivery of changes for the next turn of the context's queue or actor.
    private func scheduleEndOfEvent() {
        if executor.isCurrent { _ = executor.schedule { [weakReference] in weakReference.object?.endTurn() } }
        observation.signals.raiseAll()
    }

    /// Schedules the propagation of deletes where properties are observed, which changes other objects.
    func scheduleDeleteRules() {
        guard options.isObservable, observation.listeners == nil, !observation.isEndScheduled, !observation.observedObjects.isEmpty,
            !tracker.deletions.areBeingApplied
        else { return }
        observation.isEndScheduled = true
        scheduleEndOfEvent()
    }

    /// Delivers the changes, after propagating deletes where possible; a save delivers the others.
    func endTurn() {
        guard observation.listeners != nil || observation.isEndScheduled else { return }
        observation.isEndScheduled = false
        try? applyDueDeleteRules()
        undoBackend?.endTurn(of: self)
        deliverChanges()
    }

    func deliverChanges() {
        guard let listeners = observation.listeners else { return }
        let event = takeChanges(listeners.recorder)
        if !event.isEmpty { listeners.notify(event) }
    }

    /// Delivers a merge, and the changes since the last event.
    ///
    /// - Parameter changes: What was merged; `nil` where it may be anything.
    func deliverMerge(of changes: RemoteChanges?) {
        guard let listeners = observation.listeners else { return }
        listeners.notify(merge: ContextEvent(merged: changes, self), takeChanges(listeners.recorder))
    }

    private func takeChanges(_ recorder: ChangeRecorder) -> ContextEvent {
        var event = ContextEvent(.objectsDidChange, self)
        recorder.take(into: &event)
        return event
    }

    func notify(_ kind: ContextEvent.Kind) { observation.listeners?.notify(ContextEvent(kind, self)) }

    /// Returns the event of a save of all changes; `nil` without listeners or changes.
    func eventOfSave() -> ContextEvent? {
        guard let recorder = observation.listeners?.recorder, recorder.mayConcernSave else { return nil }
        defer { recorder.didSave() }
        var event = ContextEvent(.didSave, self)
        if tracker.changed.allSatisfy({ $0.isInserted && recorder.observes($0) }) {
            event.addInserted(tracker.changed)
            return event.isEmpty ? nil : event
        }
        for object in tracker.changed where recorder.observes(object) && object.hasChanges && !object.isForgotten {
            if object.isDeleted {
                event.addDeleted(object)
            } else if object.isNew {
                event.addInserted(object)
            } else if object.hasChangesToNotify {
                event.addUpdated(object, object.changedProperties)
            }
        }
        return event.isEmpty ? nil : event
    }
}

extension ManagedObject {
    /// The changed properties, as far as known here.
    var changedProperties: PropertySet {
        guard let extra else { return PropertySet() }
        var changed = extra.pending.properties
        if extra.hasToManyStates {
            for (property, state) in extra.toManyStates where state.hasChanges { changed.insert(property) }
        }
        return changed
    }

    /// Returns whether a saved object differs from its row; one that was changed back does not.
    fileprivate var hasChangesToNotify: Bool {
        hasPersistentChangedValues || entity.propertySlots.contains { $0.slot == nil && isPending($0.property) }
    }
}

extension BackgroundContext {
    /// The changes of the context's objects from now on, by ID, see ``ManagedObjectContext/events``.
    public var events: AsyncStream<ContextChange> { performAndWait { $0.events } }
}

/// A sequence of events, which ends with its listener, and that with the context.
private final class EventSequence {
    let continuation: AsyncStream<ContextChange>.Continuation
    /// The number of the listener.
    var listener: Int?

    init(_ continuation: AsyncStream<ContextChange>.Continuation) { self.continuation = continuation }

    deinit { continuation.finish() }
}
