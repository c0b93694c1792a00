import Dispatch
import StrataPlatform
import Synchronization

/// Runs a closure on a thread of its own, which ends with the closure.
public enum OwnThread {
    private final class Body: Sendable {
        let nanoseconds: UInt64
        let run: @Sendable () -> Void

        init(_ nanoseconds: UInt64, _ run: @escaping @Sendable () -> Void) {
            self.nanoseconds = nanoseconds
            self.run = run
        }
    }

    /// Runs `body` immediately, or some nanoseconds later.
    ///
    /// A timer of Dispatch's needs descriptors, and traps without any left.
    ///
    /// - Returns: Whether it will run: the system may not create a thread.
    public static func run(after nanoseconds: UInt64 = 0, _ body: @escaping @Sendable () -> Void) -> Bool {
        let body = unsafe Unmanaged.passRetained(Body(nanoseconds, body))
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // A thread inherits the mask: the program's signals are not delivered to this one.
        var (all, own) = (sigset_t(), sigset_t())
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &own)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &own, nil) }
        var thread = pthread_t()
        let code = unsafe pthread_create(&thread, &attributes, { unsafe OwnThread.run($0) }, unsafe body.toOpaque())
        if code != 0 { unsafe body.release() }
        return code == 0
    }

    /// Runs `body` on a thread of the lowest priority, and waits for it; on the calling thread where the system creates
    /// no other.
    ///
    /// Use it for work that holds no lock or snapshot: it takes the processor time that is left over. The lowest priority
    /// (19, see `nice(2)`) is that of input and output, too, for schedulers that know one. Task-local values are not
    /// inherited.
    ///
    /// - Throws: What `body` throws.
    public static func runAtLowPriority<T: Sendable>(_ body: @escaping @Sendable () throws -> T) throws -> T {
        let (outcome, isOver) = (Outcome<T>(), DispatchSemaphore(value: 0))
        let isRunning = OwnThread.run {
            #if os(Linux)
                // Of this thread: Linux has a priority for each.
                _ = nice(19)
            #endif
            let result = Result { try body() }
            outcome.result.withLock { $0 = result }
            isOver.signal()
        }
        if isRunning { isOver.wait() }
        return try outcome.result.withLock { $0 }?.get() ?? body()
    }

    private final class Outcome<T: Sendable>: Sendable {
        let result = Mutex<Result<T, any Error>?>(nil)
    }

    private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument = unsafe argument else { return nil }
        let body = unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
        if body.nanoseconds > 0 {
            var time = timespec(tv_sec: Int(body.nanoseconds / 1_000_000_000), tv_nsec: Int(body.nanoseconds % 1_000_000_000))
            // No signal interrupts it: all are blocked here.
            unsafe nanosleep(&time, nil)
        }
        body.run()
        return nil
    }
}
