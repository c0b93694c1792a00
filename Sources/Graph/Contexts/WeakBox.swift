import CStrataRuntime
import Synchronization

/// A weak reference to an object that is read on any thread.
///
/// It differs from a weak variable in cost: an object that was ever referenced by one of these is slower to retain and
/// to release from then on. The object owns its box, and clears it in its `deinit`.
package final class WeakBox<Object: AnyObject>: Sendable {
    /// The object's address; cleared before its memory is freed.
    private let address = Mutex<UInt?>(nil)

    /// Creates an empty box.
    package init() {}

    /// Makes the box reference the object that owns it.
    package func set(_ object: Object) {
        let bits = unsafe UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        address.withLock { $0 = bits }
    }

    /// Clears the reference, as the object is being deallocated.
    package func clear() { address.withLock { $0 = nil } }

    /// The object, unless it is deallocated, or being deallocated.
    package var object: Object? {
        let counted = address.withLock { address -> UInt? in
            guard let pointer = unsafe address.flatMap(UnsafeMutableRawPointer.init(bitPattern:)) else { return nil }
            return unsafe UInt(bitPattern: strata_try_retain(pointer))
        }
        guard let pointer = unsafe counted.flatMap(UnsafeRawPointer.init(bitPattern:)) else { return nil }
        return unsafe Unmanaged<Object>.fromOpaque(pointer).takeRetainedValue()
    }
}
