import Synchronization

/// The lock of a context's identity map: objects may be released on any thread, while the context works on its own.
///
/// An object that is deallocated knows only the address of its context, which may be deallocated at the same time. So
/// the locks outlast all contexts: their number is fixed, and the address of a context selects one.
///
/// No code of an application runs, and nothing is released, while a lock is held: deallocations acquire it.
final class IdentityLock: Sendable {
    private let mutex = Mutex(())
    // Unmanaged, as they are never deallocated: the end of an object counts no reference to one.
    private static let all = unsafe (0..<64).map { _ in unsafe Unmanaged.passRetained(IdentityLock()) }

    static let none = IdentityLock()

    private init() {}

    static func of(_ context: Unmanaged<ManagedObjectContext>) -> Unmanaged<IdentityLock> {
        let address = unsafe UInt64(UInt(bitPattern: context.toOpaque()))
        return unsafe all[Int(((address >> 4) &* 0x9E37_79B9_7F4A_7C15) >> 58)]
    }

    @inline(__always)
    func withLock<Result: Sendable>(_ body: () throws -> Result) rethrows -> Result { try mutex.withLock { _ in try body() } }
}
