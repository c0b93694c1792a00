import CStrataRuntime
import Synchronization

/// A weak reference to an object that is read on any thread.
///
/// Unlike a weak variable, it does not make the object slower to retain and release. The object owns its box, and
/// clears it in its `deinit`.
package final class WeakBox<Object: AnyObject>: Sendable {
    /// The object's address; cleared before its memory is freed.
    private let address = Mutex<UInt?>(nil)

    package init() {}

    /// Sets the object; `nil` in the object's `deinit`.
    package func set(_ object: Object?) {
        let bits = object.map { unsafe UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) }
        address.withLock { $0 = bits }
    }

    /// The object, unless it is being deallocated.
    package var object: Object? {
        let counted = address.withLock { address -> UInt? in
            guard let pointer = unsafe address.flatMap(UnsafeMutableRawPointer.init(bitPattern:)) else { return nil }
            return unsafe UInt(bitPattern: strata_try_retain(pointer))
        }
        guard let pointer = unsafe counted.flatMap(UnsafeRawPointer.init(bitPattern:)) else { return nil }
        return unsafe Unmanaged<Object>.fromOpaque(pointer).takeRetainedValue()
    }
}
