public import StrataModel
import StrataQuery

extension ManagedObjectContext {
    /// Observes the objects that a request describes: sends the results now, and again each time that objects are
    /// inserted, deleted, moved or updated.
    ///
    /// - Parameters:
    ///   - request: What to fetch; pending changes count by default.
    ///   - debounce: How long nothing may change before the next answer; `nil` for no delay.
    public func observe<Result: ManagedObject>(
        _ request: ObjectFetchRequest<Result>, debounce: Duration? = nil
    ) -> LiveQuery<[Result]> {
        live(debounce) { context in
            let effect = try context.effect(onObjectsOf: request.untyped)
            var members: Set<ObjectIdentifier> = []
            return LiveQuerySession.Question(
                interest: effect.observed,
                ask: { context in
                    let objects = try context.fetch(request)
                    members = Set(objects.map { ObjectIdentifier($0) })
                    return objects
                },
                effect: { event, summary, _ in effect.effect(of: event, summary, isMember: members.contains) },
                touchesMembers: { $0.touches(members.contains) },
                isSame: { $0.elementsEqual($1, by: ===) })
        }
    }

    /// Observes the IDs of the objects that a request describes: sends them now, and again each time that objects are
    /// inserted, deleted or moved.
    ///
    /// - Parameters:
    ///   - request: What to fetch; pending changes count by default.
    ///   - debounce: How long nothing may change before the next answer; `nil` for no delay.
    public func observeObjectIDs<Result: ManagedObject>(
        of request: ObjectFetchRequest<Result>, debounce: Duration? = nil
    ) -> LiveQuery<[ObjectID]> {
        live(debounce) { context in
            LiveQuerySession.Question(
                interest: try context.interest(of: request.untyped), ask: { try $0.fetchObjectIDs(request) },
                // New objects have other IDs after a save.
                effect: { event, _, last in
                    event.kind != .didSave || !request.includesPendingChanges || last.contains(where: \.isTemporary) ? .otherAnswer : .none
                },
                isSame: ==)
        }
    }

    /// Observes the number of objects that a request describes.
    ///
    /// - Parameters:
    ///   - request: What to count; pending changes count by default.
    ///   - debounce: How long nothing may change before the next answer; `nil` for no delay.
    public func observeCount<Result: ManagedObject>(
        of request: ObjectFetchRequest<Result>, debounce: Duration? = nil
    ) -> LiveQuery<Int> {
        live(debounce) { context in
            LiveQuerySession.Question(
                interest: try context.interest(of: request.untyped), ask: { try $0.count(for: request) },
                effect: { event, _, _ in event.kind == .didSave && request.includesPendingChanges ? .none : .otherAnswer }, isSame: ==)
        }
    }

    /// Observes the saved answer of a request for dictionaries, or for groups, see ``fetchDictionaries(_:)``.
    ///
    /// - Parameters:
    ///   - request: What to fetch.
    ///   - debounce: How long nothing may change before the next answer; `nil` for no delay.
    public func observeDictionaries<Result: ManagedObject>(
        of request: ObjectFetchRequest<Result>, debounce: Duration? = nil
    ) -> LiveQuery<[FetchedDictionary]> {
        live(debounce) { context in
            LiveQuerySession.Question(
                interest: try context.interest(of: request.untyped, answersDictionaries: true), ask: { try $0.fetchDictionaries(request) },
                effect: { event, _, _ in event.kind == .objectsDidChange ? .none : .otherAnswer }, isSame: ==)
        }
    }

    private func live<Answer>(
        _ debounce: Duration?, _ question: @escaping (ManagedObjectContext) throws -> LiveQuerySession<Answer>.Question
    ) -> LiveQuery<Answer> {
        LiveQuery { [weak self] in
            guard let self else { return nil }
            assertQueue()
            return LiveQuerySession(try question(self), debounce: debounce, in: self)
        }
    }

    /// Returns what the answer of a request depends on; throws `StoreError` with `unknownEntity`.
    func interest(of request: ObjectFetchRequest<ManagedObject>, answersDictionaries: Bool = false) throws -> QueryInterest {
        let entity = try entity(of: request)
        var interest = QueryInterest(entity, includingSubentities: request.includesSubentities, in: model)
        interest.add(request.predicate, of: entity)
        for sort in request.sort { interest.add(sort.keyPath, of: entity) }
        guard answersDictionaries else { return interest }
        // Conditions on groups and orders may name expressions.
        interest.add(request.havingPredicate, of: entity)
        for property in request.propertiesToGroupBy { interest.add(property.expression, of: entity) }
        guard let properties = request.propertiesToFetch else {
            if request.propertiesToGroupBy.isEmpty { interest.readsAll = true }
            return interest
        }
        for property in properties { interest.add(property.expression, of: entity) }
        return interest
    }
}

extension BackgroundContext {
    /// Observes the IDs of a request's objects, see ``ManagedObjectContext/observeObjectIDs(of:debounce:)``.
    ///
    /// The sequence retains the context, and throws what a fetch throws. A newer answer replaces one that was not
    /// consumed.
    public func observeObjectIDs<Result: ManagedObject>(
        of request: ObjectFetchRequest<Result>, debounce: Duration? = nil
    ) -> AsyncThrowingStream<[ObjectID], any Error> {
        stream { $0.observeObjectIDs(of: request, debounce: debounce) }
    }

    /// Observes the number of a request's objects, see ``ManagedObjectContext/observeCount(of:debounce:)``.
    ///
    /// The sequence retains the context, and throws what a fetch throws. A newer answer replaces one that was not
    /// consumed.
    public func observeCount<Result: ManagedObject>(
        of request: ObjectFetchRequest<Result>, debounce: Duration? = nil
    ) -> AsyncThrowingStream<Int, any Error> {
        stream { $0.observeCount(of: request, debounce: debounce) }
    }

    /// Observes a request for dictionaries or groups, see ``ManagedObjectContext/observeDictionaries(of:debounce:)``.
    ///
    /// The sequence retains the context, and throws what a fetch throws. A newer answer replaces one that was not
    /// consumed.
    public func observeDictionaries<Result: ManagedObject>(
        of request: ObjectFetchRequest<Result>, debounce: Duration? = nil
    ) -> AsyncThrowingStream<[FetchedDictionary], any Error> {
        stream { $0.observeDictionaries(of: request, debounce: debounce) }
    }

    private func stream<Answer: Sendable>(
        _ query: @escaping @Sendable (ManagedObjectContext) -> LiveQuery<Answer>
    ) -> AsyncThrowingStream<Answer, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task { [weak self] in
                do {
                    try await self?.perform { context in
                        for try await answer in query(context) { continuation.yield(answer) }
                    }
                    continuation.finish()
                } catch { continuation.finish(throwing: error) }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
