import StrataCoordinator
import StrataEvaluation
import StrataText

/// Finds the rows of one store as a context sees them: those of changed objects as they would be saved now.
final class PendingRowResolver: RowResolver {
    let store: StoreID
    private let context: ManagedObjectContext
    private var packer: RowPacker
    private var packed: [ObjectIdentifier: Row] = [:]

    init(context: ManagedObjectContext, storeID: StoreID) {
        self.context = context
        store = storeID
        packer = RowPacker(context, TargetStores(context), .reading)
    }

    var storeID: StoreID? { store }

    func row(root: EntityIndex, reference: Int64) throws -> Row? {
        let id = try context.id(root: root, reference: reference, storeID: store)
        if let object = context.registered(id) {
            if object.isDeleted { return nil }
            if object.changesRow { return try row(of: object) }
            if let row = object.row { return row }
        }
        return try context.loader.savedRow(of: id)
    }

    func destinations(of relationship: RelationshipDescription, root: EntityIndex, owner: Row) throws -> [Row] {
        let id = try context.id(root: context.model.entities[owner.entityIndex].root, reference: owner.reference, storeID: store)
        let references: [Int64]
        if let object = context.registered(id), object.isInserted || object.extra?.toMany(relationship.index) != nil {
            let ids = try object.destinationIDs(relationship).map { context.identity.permanent($0).reference }
            references = relationship.isOrdered ? ids : ids.sorted { RowOrder.order($0, $1) == .less }
        } else {
            // An owner whose destinations were not touched here is not made for it.
            references = try context.source.destinations(of: relationship, from: id).map(\.reference)
        }
        return try references.compactMap { try row(root: root, reference: $0) }
    }

    func row(of object: ManagedObject) throws -> Row {
        if let known = packed[ObjectIdentifier(object)] { return known }
        try context.loader.requireRow(of: object)
        let row = try packer.pack(object, storeID: store)
        packed[ObjectIdentifier(object)] = row
        return row
    }
}

/// Finds the rows of one store as they were saved.
struct SavedRowResolver: RowResolver {
    let context: ManagedObjectContext
    let store: StoreID

    var storeID: StoreID? { store }

    func row(root: EntityIndex, reference: Int64) throws -> Row? {
        try context.loader.savedRow(of: try context.id(root: root, reference: reference, storeID: store))
    }

    func destinations(of relationship: RelationshipDescription, root: EntityIndex, owner: Row) throws -> [Row] {
        let owner = try context.id(root: context.model.entities[owner.entityIndex].root, reference: owner.reference, storeID: store)
        return try context.loader.savedRows(of: context.source.destinations(of: relationship, from: owner)).compactMap(\.self)
    }
}
