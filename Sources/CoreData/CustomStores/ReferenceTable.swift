import StrataModel
import Synchronization

/// The reference objects of a store and their numbers in the graph, one to one in every entity hierarchy.
///
/// A positive integer is its own number where that is free, which makes URIs valid in other processes.
// Unchecked: a lock guards all mutable state; reference objects are never mutated by their store's class.
final class ReferenceTable: @unchecked Sendable {
    private struct Hierarchy {
        var numbers: [AnyHashable: Int64] = [:]
        var objects: [Int64: Any] = [:]
        var entities: [Int64: EntityDescription] = [:]
        var last: Int64 = 0

        mutating func bind(_ number: Int64, _ object: Any, _ key: AnyHashable, _ entity: EntityDescription) {
            numbers[key] = number
            objects[number] = object
            entities[number] = entity
        }

        /// Returns the first of a range of consecutive free numbers.
        mutating func next(_ count: Int64) -> Int64 {
            var first = last + 1
            while let taken = (first..<first + count).last(where: { entities[$0] != nil }) { first = taken + 1 }
            last = first + count - 1
            return first
        }
    }

    private let lock = NSLock()
    private var hierarchies: [EntityIndex: Hierarchy] = [:]

    /// Returns the number of a reference object in the hierarchy of an entity.
    func number(of object: Any, _ entity: EntityDescription) -> Int64 {
        lock.withLock {
            let key = ReferenceTable.key(object)
            var hierarchy = hierarchies[entity.root] ?? Hierarchy()
            defer { hierarchies[entity.root] = hierarchy }
            if let number = hierarchy.numbers[key] {
                // It may have been returned with an ancestor of its own entity before.
                if let known = hierarchy.entities[number], entity.isKind(of: known) { hierarchy.entities[number] = entity }
                return number
            }
            let own = (key.base as? Int64).flatMap { $0 > 0 && hierarchy.entities[$0] == nil ? $0 : nil }
            let number = own ?? hierarchy.next(1)
            hierarchy.bind(number, object, key, entity)
            return number
        }
    }

    /// Returns the reference object of a number; the number itself if none is known.
    func object(of number: Int64, _ entity: EntityDescription) -> Any {
        lock.withLock {
            if let object = hierarchies[entity.root]?.objects[number] { return object }
            let object = NSNumber(value: number)
            hierarchies[entity.root, default: Hierarchy()].bind(number, object, AnyHashable(number), entity)
            return object
        }
    }

    /// Returns the reference object of a number; `nil` if none is known.
    func knownObject(of number: Int64, _ entity: EntityDescription) -> Any? { lock.withLock { hierarchies[entity.root]?.objects[number] } }

    /// Assigns a reserved number to a reference object.
    func bind(_ number: Int64, to object: Any, _ entity: EntityDescription) {
        lock.withLock { hierarchies[entity.root, default: Hierarchy()].bind(number, object, ReferenceTable.key(object), entity) }
    }

    /// Returns the entity that a number was last returned with; `nil` for an unknown one.
    func entity(of number: Int64, root: EntityIndex) -> EntityDescription? { lock.withLock { hierarchies[root]?.entities[number] } }

    // MARK: - New objects

    /// Reserves consecutive numbers, and returns the first one.
    func reserve(_ count: Int, root: EntityIndex) -> Int64 { lock.withLock { hierarchies[root, default: Hierarchy()].next(Int64(count)) } }

    /// Returns the dictionary key of a reference object: equal numbers are one key, whatever their class.
    private static func key(_ object: Any) -> AnyHashable {
        switch object {
        case let number as NSNumber where !number.isFloatingPoint: AnyHashable(number.int64Value)
        case let text as String: AnyHashable(text)
        case let id as UUID: AnyHashable(id)
        case let url as URL: AnyHashable(url)
        case let data as Data: AnyHashable(data)
        case let object as NSObject: AnyHashable(object)
        case let value as AnyHashable: value
        default: programmerError("A reference object has to be hashable, and \(type(of: object)) is not.")
        }
    }

    func id(of object: Any, _ entity: NSEntityDescription, in store: NSPersistentStore) -> NSManagedObjectID {
        let compiled = entity.compiled
        let scope = ObjectIDScope(storeID: StoreID(store.identifier ?? ""), entity: compiled)
        return NSManagedObjectID(ObjectID(scope: scope, reference: number(of: object, compiled)))
    }
}

/// The identity of a row within a store.
struct RowKey: Hashable {
    let root: EntityIndex
    let reference: Int64

    init(root: EntityIndex, reference: Int64) { (self.root, self.reference) = (root, reference) }
    init(_ id: ObjectID) { self.init(root: id.entity.root, reference: id.reference) }
}

/// A store of a registered class, which knows its objects by reference objects.
protocol ReferencedStore: NSPersistentStore {
    var references: ReferenceTable { get }
}

/// The URIs of objects of custom stores with texts as reference objects: `x-coredata://<store>/<entity>/p<text>`.
///
/// A number is its own text; others have the graph's number, which is valid while the store is open.
enum ReferenceURIs {
    private static let prefix = "x-coredata://"

    /// Returns the URI of an object with a text as reference object; `nil` for any other.
    static func uri(of id: ObjectID) -> String? {
        guard !id.isTemporary, let storeID = id.storeID, let store = NSPersistentStore.open(id: storeID) as? any ReferencedStore,
            let text = store.references.knownObject(of: id.reference, id.entity) as? String,
            let name = escaped(id.entity.name), let reference = escaped(text), Int64(text) == nil
        else { return nil }
        return "\(prefix)\(storeID)/\(name)/p\(reference)"
    }

    /// Returns the ID of such a URI; `nil` for other URIs, and if the store is not open in the coordinator.
    static func id(_ uri: String, in coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectID? {
        let parts = uri.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard uri.hasPrefix(prefix), parts.count == 3, parts[2].hasPrefix("p"),
            let name = parts[1].removingPercentEncoding, let text = String(parts[2].dropFirst()).removingPercentEncoding,
            Int64(text) == nil, let entity = coordinator.managedObjectModel.entitiesByName[name],
            let store = coordinator.persistentStores.first(where: { $0.identifier == parts[0] }),
            let table = (store as? any ReferencedStore)?.references
        else { return nil }
        return table.id(of: text, entity, in: store)
    }

    private static func escaped(_ text: String) -> String? {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~")))
    }
}

/// The row versions of an incremental store, by which saves of several contexts detect conflicts.
///
/// A row gets the next version when the store's own, which may be any number, differs, and when it is saved here.
final class VersionTable: Sendable {
    private struct Known {
        /// The version that the store returned last.
        var given: UInt64
        var row: UInt32
        /// Whether the row was saved here, and not read from the store since.
        var isSaved = false
    }

    private let known = Mutex<[RowKey: Known]>([:])

    /// Returns the row version of values that the store just returned.
    func version(root: EntityIndex, _ reference: Int64, given: UInt64) -> UInt32 {
        known.withLock { known in
            let key = RowKey(root: root, reference: reference)
            var entry = known[key] ?? Known(given: given, row: max(1, UInt32(truncatingIfNeeded: given)))
            // The store most likely has another version of the row saved here, which has its new row version already.
            if entry.given != given && !entry.isSaved { entry.row &+= 1 }
            entry.given = given
            entry.isSaved = false
            known[key] = entry
            return entry.row
        }
    }

    /// Returns the row version; `nil` if the row was never read.
    func current(root: EntityIndex, _ reference: Int64) -> UInt32? { known.withLock { $0[RowKey(root: root, reference: reference)]?.row } }

    /// Records that a row was saved.
    func save(root: EntityIndex, _ reference: Int64, as version: UInt32) {
        known.withLock { known in
            let key = RowKey(root: root, reference: reference)
            known[key] = Known(given: known[key]?.given ?? 0, row: version, isSaved: true)
        }
    }

    /// Records that a row was deleted.
    func delete(root: EntityIndex, _ reference: Int64) { known.withLock { $0[RowKey(root: root, reference: reference)] = nil } }
}
