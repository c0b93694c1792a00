import StrataStore

/// A state of a coordinator's stores that contexts can be pinned to, so that all that they read is of one moment.
///
/// ```swift
/// try list.setQueryGenerationFrom(.current)
/// let rows = try list.fetch(request)                            // Pins the context.
/// try detail.setQueryGenerationFrom(list.queryGenerationToken)  // Another one, which sees the same.
/// ```
/// The state is held until the last token and the last context that have it are released. Two tokens are equal that
/// represent one state.
public struct QueryGenerationToken: Sendable {
    /// The state of the stores when a context reads them first.
    public static let current = QueryGenerationToken(nil)

    /// The generation; `nil` where it is yet to be taken.
    let generation: HeldGeneration?

    init(_ generation: HeldGeneration?) { self.generation = generation }

    /// Whether a state was taken that the token represents.
    package var isHeld: Bool { generation != nil }
}

extension QueryGenerationToken: Hashable {
    public static func == (a: QueryGenerationToken, b: QueryGenerationToken) -> Bool { a.generation === b.generation }
    public func hash(into hasher: inout Hasher) { hasher.combine(generation.map { ObjectIdentifier($0) }) }
}

extension QueryGenerationToken: CustomStringConvertible {
    public var description: String {
        generation == nil ? "the current generation" : "a generation of \(generation?.members.count ?? 0) stores"
    }
}

/// The state of all stores of a coordinator at a moment, held until it is released.
final class HeldGeneration: Sendable {
    /// A store with its snapshot, if it supports any.
    typealias Member = (store: any StoreBackend, snapshot: (any StoreSnapshot)?)

    let members: [Member]
    /// The gate of the coordinator, as its identity: a generation does not retain it.
    private let gate: SnapshotGate

    init(_ members: [Member], of coordinator: PersistentStoreCoordinator) {
        self.members = members
        gate = coordinator.gate
    }

    /// Returns whether the generation is of the stores of a coordinator.
    func isOf(_ coordinator: PersistentStoreCoordinator) -> Bool { gate === coordinator.gate }
}
