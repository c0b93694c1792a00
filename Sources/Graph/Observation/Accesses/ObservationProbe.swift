import Observation
import Synchronization

/// Detects whether this thread is within `withObservationTracking`.
///
/// Observation has no API for it, and registering each access is too slow while no code tracks them. But it inserts the
/// key paths into a set, so that a key path that records its hashing detects it.
enum ObservationProbe {
    private static let hashes = Atomic<UInt>(0)
    // Unmanaged: made once and never released, as each read asks it.
    private static let subject = unsafe Unmanaged.passRetained(Subject())

    private final class Subject: Observable, Sendable {
        // In a class, as a registrar in a variable is copied by each call.
        private let registrar = ObservationRegistrar()
        private let keyPath: any KeyPath<Subject, Bool> & Sendable = \Subject.[Witness()]

        subscript(witness: Witness) -> Bool { true }

        @inline(__always)
        func access() { registrar.access(self, keyPath: keyPath) }
    }

    private struct Witness: Hashable, Sendable {
        static func == (lhs: Witness, rhs: Witness) -> Bool { true }
        func hash(into hasher: inout Hasher) { hashes.add(1, ordering: .relaxed) }
    }

    /// Whether accesses are tracked now; another thread's tracking may be mistaken for it, at the cost of one access.
    static var isTracking: Bool {
        let before = hashes.load(ordering: .relaxed)
        unsafe subject._withUnsafeGuaranteedRef { $0.access() }
        return hashes.load(ordering: .relaxed) != before
    }
}
