import StrataCoordinator
import StrataModel
import StrataStore

/// A change of an object in a transaction of a history.
// Unchecked: all that it holds is a constant.
open class NSPersistentHistoryChange: NSObject, NSCopying, @unchecked Sendable {
    final let change: HistoryChange
    private final let owner: SharedHistoryTransaction
    private final let hasTransaction: Bool
    /// How many bits of a change's ID are its index in the transaction.
    private static let indexBits: Int64 = 28

    init(_ change: HistoryChange, of owner: SharedHistoryTransaction, hasTransaction: Bool) {
        (self.change, self.owner, self.hasTransaction) = (change, owner, hasTransaction)
    }

    /// The entity that conditions on changes are about: it has `changedEntity`, `changedObjectID`, `changeType` and
    /// `transaction`.
    open class var entityDescription: NSEntityDescription? { HistoryEntities.shared.change }
    /// Returns ``entityDescription``, whatever the context.
    open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? { entityDescription }
    /// A new request for changes, for a history request's `fetchRequest`; no context fetches it by itself.
    open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? { HistoryEntities.request(entityDescription) }

    /// A number that identifies the change in its store: of the transaction and the change's index in it.
    open var changeID: Int64 { owner.transaction.number << NSPersistentHistoryChange.indexBits | Int64(change.index) }
    /// The ID of the object.
    open var changedObjectID: NSManagedObjectID { NSManagedObjectID(change.objectID) }
    /// The kind of the change.
    open var changeType: NSPersistentHistoryChangeType {
        switch change.kind {
        case .insert: .insert
        case .update: .update
        case .delete: .delete
        }
    }
    /// The values of the preserved attributes of a deleted object, by name; `nil` for other changes, and without any.
    open var tombstone: [AnyHashable: Any]? {
        let entity = change.objectID.entity
        let values = change.tombstone.compactMap { name, value -> (AnyHashable, Any)? in
            guard let attribute = entity.attribute(named: name) else { return nil }
            return DefaultValue.object(value, of: attribute.declaration).map { (name, $0) }
        }
        return values.isEmpty ? nil : Dictionary(values) { first, _ in first }
    }
    /// The transaction; `nil` for results of changes alone.
    open var transaction: NSPersistentHistoryTransaction? {
        hasTransaction ? NSPersistentHistoryTransaction(owner, includesChanges: true) : nil
    }
    /// The changed properties of an updated object; `nil` for other changes.
    open var updatedProperties: Set<NSPropertyDescription>? {
        guard change.kind == .update else { return nil }
        let properties = changedObjectID.entity.propertiesByName
        return Set(change.changedProperties.compactMap { properties[$0] })
    }

    /// Returns the change itself, as it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether both are the same change of a transaction.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentHistoryChange else { return false }
        return other.owner.transaction.token == owner.transaction.token && other.change.index == change.index
    }
    open override var hash: Int { changeID.hashValue }
    open override var description: String {
        "<NSPersistentHistoryChange: \(changeID) \(changedObjectID) \(change.kind) [\(change.changedProperties.joined(separator: ", "))]>"
    }
}
