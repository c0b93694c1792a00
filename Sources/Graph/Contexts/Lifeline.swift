import CStrataRuntime
import Synchronization

/// Leads to an object for as long as that lives, from whatever thread.
///
/// It is what a weak reference is but for one thing: whoever had one of those costs more to retain and to release for life. The object owns its
/// lifeline, and cuts it as it goes.
package final class Lifeline<Object: AnyObject>: Sendable {
    /// Where the object is; it is cut before the memory is given back.
    private let address = Mutex<UInt?>(nil)

    /// A line that leads nowhere yet.
    package init() {}

    /// Has the line lead to the object that owns it.
    package func lead(to object: Object) {
        let place = unsafe UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        address.withLock { $0 = place }
    }

    /// Has the line lead nowhere, for the object goes.
    package func cut() { address.withLock { $0 = nil } }

    /// The object, unless it is gone, or goes just now.
    package var object: Object? {
        let counted = address.withLock { address -> UInt? in
            guard let place = unsafe address.flatMap(UnsafeMutableRawPointer.init(bitPattern:)) else { return nil }
            return unsafe UInt(bitPattern: strata_try_retain(place))
        }
        guard let place = unsafe counted.flatMap(UnsafeRawPointer.init(bitPattern:)) else { return nil }
        return unsafe Unmanaged<Object>.fromOpaque(place).takeRetainedValue()
    }
}
