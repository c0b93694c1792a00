import StrataModel
import Synchronization

/// The references that a store has at hand: it takes more than it needs from a tree's sequence, more each time, and gives out the next ones from
/// these.
final class ReferenceAllocator: Sendable {
    struct Room {
        private var next: Int64 = 1
        private var end: Int64 = 1
        /// The greatest reference that is known to be behind the sequence.
        var greatest: Int64 = 0
        /// How many references are taken at least the next time.
        private(set) var ahead: Int64 = 32
        /// More would make gaps in the numbers, and spare next to nothing.
        private static let greatestAhead: Int64 = 1024

        private var left: Int64 { end - next }

        /// Takes references out.
        ///
        /// - Returns: The first; `nil` where there are not so many.
        mutating func take(_ count: Int64) -> Int64? {
            if left < count { return nil }
            defer { next += count }
            return next
        }

        /// Takes references in, the last that a sequence gave out among them.
        mutating func put(_ count: Int64, upTo last: Int64) {
            (next, end, greatest) = (last - count + 1, last + 1, last)
            ahead = min(2 * ahead, Room.greatestAhead)
        }

        mutating func add(_ other: Room) {
            if other.left > left { (next, end) = (other.next, other.end) }
            greatest = max(greatest, other.greatest)
            ahead = max(ahead, other.ahead)
        }
    }

    private struct State {
        /// By the root of the tree.
        var rooms: [EntityIndex: Room] = [:]
        /// How many connections had been lost when the rooms were known.
        var losses = 0
    }

    private let state = Mutex(State())

    /// What there is of a tree.
    ///
    /// - Parameter losses: How many connections were lost: with each the server may have crashed, and forgotten what it had not written yet.
    func withRoom<T: Sendable>(_ root: EntityIndex, losses: Int, _ body: @Sendable (inout Room) -> T) -> T {
        state.withLock { state in
            if state.losses != losses { state = State(losses: losses) }
            return body(&state.rooms[root, default: Room()])
        }
    }
}
