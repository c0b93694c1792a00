import Synchronization

/// Guards whom a context finds among its objects: they may be released on any thread, while the context works on its own.
///
/// An object that goes knows no more of its context than the address, and the context may go at the same time. So the locks outlast all
/// contexts: there is a fixed number of them, and the address of a context says which is its own.
///
/// No code of an application runs, and nothing is released, while a lock is held: an object that goes asks for it.
final class IdentityLock: Sendable {
    private let mutex = Mutex(())
    private static let all = (0..<64).map { _ in IdentityLock() }

    /// The lock of no context.
    static let none = IdentityLock()

    private init() {}

    /// Returns the lock of the context at an address.
    static func of(_ context: Unmanaged<ManagedObjectContext>) -> IdentityLock {
        let address = unsafe UInt64(UInt(bitPattern: context.toOpaque()))
        return all[Int(((address >> 4) &* 0x9E37_79B9_7F4A_7C15) >> 58)]
    }

    @inline(__always)
    func withLock<Result: Sendable>(_ body: () throws -> Result) rethrows -> Result { try mutex.withLock { _ in try body() } }
}
