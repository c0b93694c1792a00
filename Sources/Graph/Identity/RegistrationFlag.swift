import Synchronization

/// Whether a context or a child of it ever had objects: read on any thread, as changes without listeners cost nothing.
final class RegistrationFlag: Sendable {
    private let hasBegun = Atomic<Bool>(false)

    var isOccupied: Bool { hasBegun.load(ordering: .acquiring) }

    func begin() { hasBegun.store(true, ordering: .releasing) }
}
