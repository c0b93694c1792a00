import Foundation
import StrataModel

/// The reference objects of a store, and the numbers by which the graph knows them: one number for each, and the other way round, in every
/// tree of entities.
///
/// A positive integer is its own number where nothing else has it, so that URIs of such objects lead back in another process too.
// Unchecked: everything that changes is behind the lock; reference objects are values that their store's class never changes.
final class ReferenceTable: @unchecked Sendable {
    private struct Tree {
        var numbers: [AnyHashable: Int64] = [:]
        var objects: [Int64: Any] = [:]
        var entities: [Int64: EntityDescription] = [:]
        var last: Int64 = 0

        mutating func bind(_ number: Int64, _ object: Any, _ key: AnyHashable, _ entity: EntityDescription) {
            numbers[key] = number
            objects[number] = object
            entities[number] = entity
        }

        /// The first of so many consecutive numbers that nothing has.
        mutating func next(_ count: Int64) -> Int64 {
            var first = last + 1
            while let taken = (first..<first + count).last(where: { entities[$0] != nil }) { first = taken + 1 }
            last = first + count - 1
            return first
        }
    }

    private let lock = NSLock()
    private var trees: [EntityIndex: Tree] = [:]

    /// The number of a reference object among the objects of an entity's tree.
    func number(of object: Any, _ entity: EntityDescription) -> Int64 {
        lock.withLock {
            let key = ReferenceTable.key(object)
            var tree = trees[entity.root] ?? Tree()
            defer { trees[entity.root] = tree }
            if let number = tree.numbers[key] {
                // It may have been named with an ancestor of its own entity before.
                if let known = tree.entities[number], entity.isKind(of: known) { tree.entities[number] = entity }
                return number
            }
            let own = (key.base as? Int64).flatMap { $0 > 0 && tree.entities[$0] == nil ? $0 : nil }
            let number = own ?? tree.next(1)
            tree.bind(number, object, key, entity)
            return number
        }
    }

    /// The reference object of a number; the number itself where none is known.
    func object(of number: Int64, _ entity: EntityDescription) -> Any {
        lock.withLock {
            if let object = trees[entity.root]?.objects[number] { return object }
            let object = NSNumber(value: number)
            trees[entity.root, default: Tree()].bind(number, object, AnyHashable(number), entity)
            return object
        }
    }

    /// The reference object of a number; `nil` where none is known.
    func knownObject(of number: Int64, _ entity: EntityDescription) -> Any? { lock.withLock { trees[entity.root]?.objects[number] } }

    /// Gives a number that was set aside its reference object.
    func bind(_ number: Int64, to object: Any, _ entity: EntityDescription) {
        lock.withLock { trees[entity.root, default: Tree()].bind(number, object, ReferenceTable.key(object), entity) }
    }

    /// The entity that a number was last named with; `nil` of an unknown one.
    func entity(of number: Int64, root: EntityIndex) -> EntityDescription? { lock.withLock { trees[root]?.entities[number] } }

    // MARK: - New objects

    /// Sets consecutive numbers aside, and returns the first one.
    func reserve(_ count: Int, root: EntityIndex) -> Int64 { lock.withLock { trees[root, default: Tree()].next(Int64(count)) } }

    /// What a reference object is known by: numbers of one value are one, whatever their class.
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
}

extension ReferenceTable {
    /// The ID of the object of an entity that a store knows by a reference object.
    func id(of object: Any, _ entity: NSEntityDescription, in store: NSPersistentStore) -> NSManagedObjectID {
        let compiled = entity.compiled
        let scope = ObjectIDScope(storeID: StoreID(store.identifier ?? ""), entity: compiled)
        return NSManagedObjectID(ObjectID(scope: scope, reference: number(of: object, compiled)))
    }
}
