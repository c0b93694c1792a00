import Glibc

/// Runs something on a thread that is there for nothing else, and ends with it.
enum OwnThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs `body`.
    ///
    /// - Returns: Whether it will run: the system may have no thread to give.
    static func run(_ body: @escaping @Sendable () -> Void) -> Bool {
        let body = unsafe Unmanaged.passRetained(Body(body))
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // A thread inherits the mask: the program's signals are not for this one.
        var (all, own) = (sigset_t(), sigset_t())
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &own)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &own, nil) }
        var thread = pthread_t()
        let code = unsafe pthread_create(&thread, &attributes, { unsafe OwnThread.run($0) }, unsafe body.toOpaque())
        if code != 0 { unsafe body.release() }
        return code == 0
    }

    private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument = unsafe argument else { return nil }
        unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
    }
}
