import Observation
import Synchronization

/// Tells whether this thread is within `withObservationTracking`.
///
/// Observation does not say, and what an access costs where somebody tracks it (a registrar for each object, a key path for each access)
/// is too much where nobody does. But it puts the key paths that it notes into a set, so one that notices when it is hashed tells.
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

    /// Whether accesses are noted just now; another thread's may be taken for this one's, which costs an access in vain.
    static var isTracking: Bool {
        let before = hashes.load(ordering: .relaxed)
        registrar.access(subject, keyPath: keyPath)
        return hashes.load(ordering: .relaxed) != before
    }
}
