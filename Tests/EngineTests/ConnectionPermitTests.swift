import Dispatch
import StrataEngine
import StrataFiles
import StrataPlatform
import StrataStore
import Synchronization
import Testing

@Suite("Permits for connections", .timeLimit(.minutes(60)))
struct ConnectionPermitTests {
    /// The numbers of the callers that got a permit, in order.
    private final class Order: Sendable {
        private let numbers = Mutex<[Int]>([])
        private let end = DispatchSemaphore(value: 0)
        var all: [Int] { numbers.withLock { $0 } }
        func add(_ number: Int) {
            numbers.withLock { $0.append(number) }
            end.signal()
        }
        func wait(for count: Int) -> [Int] {
            for _ in 0..<count { end.wait() }
            return all
        }
    }

    /// Waits until callers wait for permits.
    private static func awaitPending(_ count: Int, of permits: ConnectionPermits) {
        while permits.status(idle: 0).pending < count { usleep(100) }
    }

    @Test("Callers get permits in the order of their requests")
    func order() throws {
        let permits = ConnectionPermits("readers", maximum: 1, timeout: 3600)
        let first = try permits.acquire(.fetch)
        let order = Order()
        for number in 0..<20 {
            try #require(
                OwnThread.run {
                    guard let permit = try? permits.acquire(.fetch) else { return }
                    order.add(number)
                    permits.release(permit)
                })
            Self.awaitPending(number + 1, of: permits)
        }
        #expect(permits.status(idle: 3) == ConnectionPoolStatus(name: "readers", used: 1, idle: 3, maximum: 1, pending: 20))
        permits.release(first)
        #expect(order.wait(for: 20) == Array(0..<20))
        // The last one returns its permit after it was counted.
        while permits.status(idle: 0).used > 0 { usleep(100) }
    }

    @Test("No more callers than the maximum have a permit, and each of 500 gets one")
    func maximum() throws {
        let permits = ConnectionPermits("readers", maximum: 4, timeout: 3600)
        let state = Mutex((now: 0, most: 0, ends: 0))
        let threads = 50
        let end = DispatchSemaphore(value: 0)
        for _ in 0..<threads {
            try #require(
                OwnThread.run {
                    for _ in 0..<10 {
                        guard let permit = try? permits.acquire(.fetch) else { continue }
                        state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.ends) }
                        state.withLock { $0 = ($0.now - 1, $0.most, $0.ends + 1) }
                        permits.release(permit)
                    }
                    end.signal()
                })
        }
        for _ in 0..<threads { end.wait() }
        #expect(state.withLock { $0.ends } == 500)
        #expect(state.withLock { $0.most } <= 4)
    }

    @Test("A caller that waits longer than the maximum gets the error busy, and is not admitted later")
    func busy() throws {
        let permits = ConnectionPermits("readers", maximum: 1, timeout: 0.01)
        let first = try permits.acquire(.fetch)
        let failure = Mutex<StoreError?>(nil)
        let end = DispatchSemaphore(value: 0)
        try #require(
            OwnThread.run {
                do throws(any Error) { permits.release(try permits.acquire(.fetch, path: "a")) } catch {
                    failure.withLock { $0 = error as? StoreError }
                }
                end.signal()
            })
        end.wait()
        let error = try #require(failure.withLock { $0 })
        #expect(error.code == .busy)
        #expect(error.recovery == .retryable)
        #expect(error.message == "all connections of the store are in use")
        #expect(error.path == "a")
        permits.release(first)
        #expect(permits.status(idle: 0) == ConnectionPoolStatus(name: "readers", used: 0, idle: 0, maximum: 1, timeouts: 1))
    }

    @Test("A thread with a permit does not wait for itself")
    func nested() throws {
        let permits = ConnectionPermits("readers", maximum: 1, timeout: 0)
        let outer = try permits.acquire(.fetch)
        let inner = try permits.acquire(.fetch)
        permits.release(outer)
        #expect(!permits.hasFree)
        permits.release(inner)
        #expect(permits.hasFree)
    }

    @Test("A cancelled task stops waiting")
    func cancelled() throws {
        let permits = ConnectionPermits("readers", maximum: 1, timeout: 3600)
        let first = try permits.acquire(.fetch)
        let cancellation = StoreCancellation()
        let failure = Mutex<StoreError?>(nil)
        let end = DispatchSemaphore(value: 0)
        try #require(
            OwnThread.run {
                StoreCancellation.$current.withValue(cancellation) {
                    do throws(any Error) { permits.release(try permits.acquire(.fetch)) } catch {
                        failure.withLock { $0 = error as? StoreError }
                    }
                }
                end.signal()
            })
        Self.awaitPending(1, of: permits)
        cancellation.cancel()
        end.wait()
        let error = try #require(failure.withLock { $0 })
        #expect(error.code == .cancelled)
        #expect(error.message == "the task that waits for a connection was cancelled")
        #expect(permits.status(idle: 0).timeouts == 0)
        permits.release(first)
        #expect(permits.hasFree)
    }

    @Test("A nested action to stop gives way to the outer one at its end")
    func nestedStop() {
        let cancellation = StoreCancellation()
        let stopped = Mutex<[String]>([])
        cancellation.whileRunning({ stopped.withLock { $0.append("outer") } }) {
            cancellation.whileRunning({ stopped.withLock { $0.append("inner") } }) {}
            cancellation.cancel()
        }
        #expect(stopped.withLock { $0 } == ["outer"])
    }

    @Test("Closing admits all who wait")
    func close() throws {
        let permits = ConnectionPermits("readers", maximum: 1, timeout: 3600)
        let first = try permits.acquire(.fetch)
        let order = Order()
        for number in 0..<3 {
            try #require(
                OwnThread.run {
                    guard let permit = try? permits.acquire(.fetch) else { return }
                    order.add(number)
                    permits.release(permit)
                })
        }
        Self.awaitPending(3, of: permits)
        permits.close()
        #expect(order.wait(for: 3).sorted() == [0, 1, 2])
        permits.release(first)
    }

    @Test("Uses are reported with their waits, and with the opening of the connection")
    func uses() throws {
        let permits = ConnectionPermits("readers", maximum: 1, timeout: 1)
        let uses = Mutex<[ConnectionUse]>([])
        permits.report { use in uses.withLock { $0.append(use) } }
        var permit = try permits.acquire(.fetch)
        _ = permits.measuring(&permit) { usleep(10) }
        permits.release(permit)
        permits.release(try permits.acquire(.fetch))
        permits.report(to: nil)
        permits.release(try permits.acquire(.fetch))
        let all = uses.withLock { $0 }
        #expect(all.map(\.pool) == ["readers", "readers"])
        #expect(all.map { $0.creation != nil } == [true, false])
    }
}
