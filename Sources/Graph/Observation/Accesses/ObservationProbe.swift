import Observation
import Synchronization

/// Detects whether this thread is within `withObservationTracking`.
///
/// Observation has no API for it, and registering each access is too slow while no code tracks them. But it inserts the
/// key paths into a set, so that a key path that records its hashing detects it. Each context has a probe of its own: it
/// holds what tracks until that is notified.
// Unchecked: the key path is immutable.
@safe final class ObservationProbe: @unchecked Sendable {
    private static let hashes = Atomic<UInt>(0)

    // In a class, as a registrar in a variable is copied by each call.
    private let registrar = ObservationRegistrar()
    // Unmanaged, and never released but with the probe: a loaded one would be retained by each access.
    @safe private let keyPath = unsafe Unmanaged<KeyPath<Subject, Bool>>.passRetained(\Subject.[Witness()])

    deinit { unsafe keyPath.release() }

    /// What is observed: no class, of which each access would count a reference.
    fileprivate struct Subject: Observable {
        subscript(witness: Witness) -> Bool { true }
    }

    fileprivate struct Witness: Hashable, Sendable {
        static func == (lhs: Witness, rhs: Witness) -> Bool { true }
        func hash(into hasher: inout Hasher) { hashes.add(1, ordering: .relaxed) }
    }

    /// Whether accesses are tracked now; another thread's tracking may be mistaken for it, at the cost of one access.
    var isTracking: Bool {
        let before = ObservationProbe.hashes.load(ordering: .relaxed)
        unsafe keyPath._withUnsafeGuaranteedRef { registrar.access(Subject(), keyPath: $0) }
        return ObservationProbe.hashes.load(ordering: .relaxed) != before
    }
}
