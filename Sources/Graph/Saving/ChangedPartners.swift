import StrataModel
import StrataStore

/// The objects whose partners in one-to-one relationships change with a save.
///
/// Each of a pair stores the other. An unchanged end is saved all the same where the other changes: the two rows may
/// have been read at different moments, which comparing both versions detects.
final class ChangedPartners {
    private struct End: Hashable {
        let id: ObjectID
        let property: Int
    }

    private let context: ManagedObjectContext
    /// Collected on demand: few saves have a pair that was changed back.
    private lazy var ends: Set<End> = {
        var ends: Set<End> = []
        for object in context.tracker.changed {
            for relationship in context.model.oneToOneRelationships[object.entityIndex] {
                guard let inverse = relationship.inverse, object.isDeleted || object.isNew || !object.keepsDestination(relationship)
                else { continue }
                // An unsaved destination of a deleted object is related to nothing, as it was before.
                let unsaved = object.isDeleted ? nil : object.pendingValue(relationship.index)
                for case .objectID(let id)? in [object.storedDestination(relationship), unsaved] {
                    ends.insert(End(id: id, property: inverse))
                }
            }
        }
        return ends
    }()

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Returns whether the current or former partner of an object changes in a relationship.
    ///
    /// - Complexity: O(n) in the changed objects, once.
    func contains(_ object: ManagedObject, _ relationship: RelationshipDescription) -> Bool {
        ends.contains(End(id: object.objectID, property: relationship.index))
    }
}
