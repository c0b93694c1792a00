import Synchronization

/// Whether a context, or a child of it, ever had objects: asked on any thread, by what need not say what it changed where nobody has any.
final class Occupancy: Sendable {
    private let hasBegun = Atomic<Bool>(false)

    var isOccupied: Bool { hasBegun.load(ordering: .acquiring) }

    func begin() { hasBegun.store(true, ordering: .releasing) }
}
