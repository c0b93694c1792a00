import Foundation
package import StrataWorkload
import Synchronization

/// Threads that write at once.
package enum Writers {
    /// Has so many threads write a part of the events each, and waits for all.
    ///
    /// - Throws: What one of them throws.
    package static func run(_ events: [Event], _ count: Int, _ write: @escaping @Sendable (ArraySlice<Event>) throws -> Void) throws {
        let failure = Failure()
        let group = DispatchGroup()
        for writer in 0..<count {
            let part = events[events.count * writer / count..<events.count * (writer + 1) / count]
            group.enter()
            Thread.detachNewThread {
                do { try write(part) } catch { failure.first.withLock { $0 = $0 ?? error } }
                group.leave()
            }
        }
        group.wait()
        if let error = failure.first.withLock({ $0 }) { throw error }
    }

    private final class Failure: Sendable {
        let first = Mutex<(any Error)?>(nil)
    }
}
