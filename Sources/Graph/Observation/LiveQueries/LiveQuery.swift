/// The answers of a query, one after the other: the first is what it answers now, and each further one comes when it
/// has changed.
///
/// Iterate over it where the context's work is done, on its actor; objects come out that belong there.
///
/// ```swift
/// for try await people in context.observe(ObjectFetchRequest<Person>(Person.age >= 18, sort: [Person.name.ascending])) {
///     show(people)
/// }
/// ```
/// The query is asked again only when what was changed can affect its answer: other objects came or went, or a property
/// that it reads was changed. Changes that come faster than they are taken become one answer. During an iteration, the
/// context merges what others save, as with ``ManagedObjectContext/automaticallyMergesChangesFromParent``.
///
/// The sequence ends with its context. It throws what a fetch throws, and is over then. Iterators do not share
/// anything: each asks for itself.
public struct LiveQuery<Answer>: AsyncSequence {
    public typealias Element = Answer
    public typealias Failure = any Error

    /// `nil` where the context was released.
    let makeSession: () throws -> LiveQuerySession<Answer>?

    init(_ makeSession: @escaping () throws -> LiveQuerySession<Answer>?) { self.makeSession = makeSession }

    public func makeAsyncIterator() -> Iterator { Iterator(Result { try makeSession() }) }

    /// The position of a loop over the answers.
    public struct Iterator: AsyncIteratorProtocol {
        private var session: Result<LiveQuerySession<Answer>?, any Error>?

        init(_ session: Result<LiveQuerySession<Answer>?, any Error>) { self.session = session }

        /// Returns the next answer; `nil` where the context was released, or the task was cancelled.
        ///
        /// - Throws: What a fetch throws.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Answer? {
            guard let session else { return nil }
            do {
                if let answer = try await session.get()?.next(actor) { return answer }
                self.session = nil
                return nil
            } catch {
                self.session = nil
                throw error
            }
        }

        /// Returns the next answer; `nil` where the context was released, or the task was cancelled.
        ///
        /// - Throws: What a fetch throws.
        public mutating func next() async throws -> Answer? { try await next(isolation: #isolation) }
    }
}

/// A live query of one iterator.
final class LiveQuerySession<Answer> {
    /// The query, and the test whether an event changes its answer.
    struct Question {
        /// The changes that ``effect`` is called for.
        let interest: QueryInterest
        /// Returns the answer; called on the context's executor.
        let ask: (ManagedObjectContext) throws -> Answer
        /// The possible effect of an event on the last answer.
        let effect: (ContextEvent, ChangeSummary, Answer) -> QueryEffect
        /// Whether an event changed objects of the last answer.
        var touchesMembers: (ChangeSummary) -> Bool = { _ in false }
        let isSame: (Answer, Answer) -> Bool
    }

    private weak var context: ManagedObjectContext?
    private let question: Question
    private let debounce: Duration?
    private let signal = LiveSignal()
    private var numbers: (subscriber: Int, signal: Int)?
    private var last: Answer?
    private var isStale = true
    /// Whether the last answer's objects were changed.
    private var isTouched = false

    init(_ question: Question, debounce: Duration?, in context: ManagedObjectContext) {
        self.question = question
        self.debounce = debounce
        self.context = context
        let signal = context.observation.signals.add(signal)
        let subscriber = context.subscribe(question.interest) { [weak self] in self?.receive($0, $1) }
        numbers = (subscriber, signal)
        context.updateMerging()
    }

    deinit {
        guard let numbers, let context else { return }
        context.observation.signals.remove(numbers.signal)
        context.removeListener(numbers.subscriber)
        context.updateMerging()
    }

    private func receive(_ event: ContextEvent, _ summary: ChangeSummary) {
        guard let last else { return }
        switch question.effect(event, summary, last) {
        case .none: return
        case .sameObjectsChanged: isTouched = true
        case .otherAnswer:
            isStale = true
            if question.touchesMembers(summary) { isTouched = true }
        }
        signal.raise()
    }

    func next(_ actor: isolated (any Actor)?) async throws -> Answer? {
        while true {
            if last != nil { await signal.wait(debounce: debounce, isolation: actor) }
            guard !Task.isCancelled, !signal.hasEnded, let context else { return nil }
            context.mergeFamilyWaiting()
            context.endTurn()
            let wasTouched = isTouched
            isTouched = false
            if let last, !isStale {
                if wasTouched { return last }
                continue
            }
            isStale = false
            let answer = try question.ask(context)
            if let last, question.isSame(last, answer), !wasTouched { continue }
            last = answer
            return answer
        }
    }
}
