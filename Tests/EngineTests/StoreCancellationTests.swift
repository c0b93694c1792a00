import StrataStore
import Synchronization
import Testing

@Suite("Cancellation of a store's work") struct StoreCancellationTests {
    // The outer action was gone once the nested call had returned: the rest of the outer work could not be cancelled.
    @Test("A nested call replaces the outer action until it returns")
    func nested() throws {
        let cancellation = StoreCancellation()
        let stopped = Mutex<[String]>([])
        cancellation.whileRunning({ stopped.withLock { $0.append("outer") } }) {
            cancellation.whileRunning({ stopped.withLock { $0.append("inner") } }) {}
            cancellation.cancel()
        }
        #expect(stopped.withLock { $0 } == ["outer"])
        #expect(cancellation.isCancelled)
        // Work that begins later is stopped at once.
        cancellation.whileRunning({ stopped.withLock { $0.append("later") } }) {}
        #expect(stopped.withLock { $0 } == ["outer", "later"])
    }

    @Test("Cancelling within a nested call stops the nested work, and what follows it in the outer one")
    func withinNested() throws {
        let cancellation = StoreCancellation()
        let stopped = Mutex<[String]>([])
        cancellation.whileRunning({ stopped.withLock { $0.append("outer") } }) {
            cancellation.whileRunning({ stopped.withLock { $0.append("inner") } }) { cancellation.cancel() }
        }
        #expect(stopped.withLock { $0 } == ["inner", "outer"])
    }
}
