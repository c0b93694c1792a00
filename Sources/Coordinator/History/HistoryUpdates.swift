import StrataStore
import Synchronization

/// The transactions of a coordinator's histories after a position, and those to come, in order.
///
/// ```swift
/// for try await transaction in coordinator.history.updates(after: token) {
///     await index.apply(transaction)
/// }
/// ```
/// It ends only with an error, or when its task is cancelled. Transactions are read on demand, none is
/// kept waiting in memory. Those of other processes are found within half a second.
public struct HistoryUpdates: AsyncSequence, Sendable {
    let history: PersistentHistory
    let token: HistoryToken

    public func makeAsyncIterator() -> Iterator { Iterator(history: history, token: token) }

    /// The iterator of the transactions.
    public struct Iterator: AsyncIteratorProtocol {
        private static let transactionsAtOnce = 64
        let history: PersistentHistory
        var token: HistoryToken
        private var found: ArraySlice<HistoryTransaction> = []

        init(history: PersistentHistory, token: HistoryToken) { (self.history, self.token) = (history, token) }

        /// Returns the next transaction, when there is one; `nil` where the task is cancelled.
        ///
        /// - Throws: As ``PersistentHistory/transactions(_:)``.
        public mutating func next() async throws -> HistoryTransaction? {
            while true {
                if let next = found.popFirst() {
                    token.advance(to: next.token)
                    return next
                }
                // Before reading: a commit that the reading misses is noticed afterwards.
                let commits = history.coordinator.historySignal.commits()
                let (history, token) = (history, token)
                found = try await history.coordinator.historySignal.reader.run {
                    try history.transactions(after: token, limit: Iterator.transactionsAtOnce)[...]
                }
                if found.isEmpty { await HistorySignal.wait(for: commits) }
                if Task.isCancelled { return nil }
            }
        }
    }
}

extension PersistentHistory {
    /// Returns the transactions after a token, and those to come; `nil` for those to come alone.
    ///
    /// - Throws: `StoreError` where the current token cannot be read.
    public func updates(after token: HistoryToken?) throws -> HistoryUpdates {
        HistoryUpdates(history: self, token: try token ?? currentToken())
    }

    /// Waits until the stores have all transactions of a token, as after another process has sent one that it saved.
    ///
    /// Stores that are not open are left out.
    ///
    /// - Throws: `StoreError`; `CancellationError` where the task is cancelled.
    public func reached(_ token: HistoryToken) async throws {
        while true {
            let commits = coordinator.historySignal.commits()
            let current = try await coordinator.historySignal.reader.run { try currentToken() }
            if current.includes(HistoryToken(token.numbers.filter { current.numbers[$0.key] != nil })) { return }
            await HistorySignal.wait(for: commits)
            try Task.checkCancellation()
        }
    }
}

/// Notifies waiting tasks of the commits of a coordinator.
final class HistorySignal: Sendable {
    private let waiting = Mutex<(next: Int, all: [Int: AsyncStream<Void>.Continuation])>((0, [:]))
    /// Where histories are read for tasks, one after the other.
    let reader = BlockingExecutor(label: "history")
    /// How often the commits of other processes are looked for.
    private static let pollingInterval = Duration.milliseconds(500)

    /// Notifies the tasks that wait for a commit.
    func notify() {
        guard let all = waiting.withLock({ $0.all.isEmpty ? nil : $0.all }) else { return }
        for continuation in all.values { continuation.yield() }
    }

    /// Returns the commits from now on; several are one, while none is waited for.
    func commits() -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = waiting.withLock { waiting in
                waiting.next += 1
                waiting.all[waiting.next] = continuation
                return waiting.next
            }
            continuation.onTermination = { [weak self] _ in _ = self?.waiting.withLock { $0.all.removeValue(forKey: number) } }
        }
    }

    /// Waits for a commit, a while at most.
    static func wait(for commits: AsyncStream<Void>) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in commits { return } }
            group.addTask { try? await Task.sleep(for: pollingInterval) }
            await group.next()
            group.cancelAll()
        }
    }
}
