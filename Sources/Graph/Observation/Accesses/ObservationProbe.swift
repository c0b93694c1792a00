import Observation
import Synchronization

/// Detects whether this thread is within `withObservationTracking`.
///
/// Observation has no API for it, and registering each access is too slow while no code tracks them. But it inserts the
/// key paths into a set, so that a key path that records its hashing detects it.
enum ObservationProbe {
    private static let hashes = Atomic<UInt>(0)
    private static let registrar = ObservationRegistrar()
    private static let subject = Subject()
    private static let keyPath: any KeyPath<Subject, Bool> & Sendable = \Subject.[Witness()]

    private final class Subject: Observable, Sendable {
        subscript(witness: Witness) -> Bool { true }
    }

    private struct Witness: Hashable, Sendable {
        static func == (lhs: Witness, rhs: Witness) -> Bool { true }
        func hash(into hasher: inout Hasher) { hashes.add(1, ordering: .relaxed) }
    }

    /// Whether accesses are tracked now; another thread's tracking may be mistaken for it, at the cost of one access.
    static var isTracking: Bool {
        let before = hashes.load(ordering: .relaxed)
        registrar.access(subject, keyPath: keyPath)
        return hashes.load(ordering: .relaxed) != before
    }
}
