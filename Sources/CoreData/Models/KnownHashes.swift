import StrataModel
import Synchronization

/// What a model's version is compared by, and the number of changes when it was computed.
struct KnownHashes {
    let changes: Int
    /// The version hash of each entity, by name; none where the model contradicts itself.
    let byName: [String: Data]
    /// The layout hashes; `nil` where the version hashes were read with the model.
    let layouts: [String: [UInt8]]?
}

extension KnownHashes {
    init(_ changes: Int, _ model: ManagedObjectModel?, byName: [String: Data]? = nil) {
        self.init(
            changes: changes, byName: byName ?? model?.entityVersionHashesByName.mapValues { Data($0) } ?? [:],
            layouts: model.map { $0.layoutHashes(of: $0.entities.typedIndices()) } ?? [:])
    }
}

/// The number of changes of elements of composite attributes in all models.
enum ModelChanges {
    private static let changes = Atomic<Int>(0)

    static var count: Int { changes.load(ordering: .acquiring) }

    /// Counts a change, before it is made.
    static func note() { changes.add(1, ordering: .releasing) }
}
