public import StrataModel
import StrataStore
import Synchronization

/// The numbers that were reserved for generated attributes, by the store and the root of the hierarchy.
///
/// They are references of the hierarchy, which every store gives out once only, whatever the process; no object has the reference that a
/// number was taken from.
final class SequenceNumbers: Sendable {
    struct Key: Hashable {
        let storeID: StoreID
        let root: EntityIndex
    }

    private struct Reserve {
        var ranges: [Range<Int64>] = []
        var blockSize = 8
        /// The greatest value that objects had when the first number was taken; `nil` before.
        var stored: Int64?
        /// The greatest value that objects were saved with since.
        var saved: Int64 = 0
    }

    /// The greatest number: those above it would leave none for the references of the hierarchy's objects.
    static let greatest = Int64.max - (1 << 32)
    private static let greatestBlock = 512
    private let reserves = Mutex<[Key: Reserve]>([:])
    /// The slots of each entity that hold numbers of sequences; empty for most models.
    let slots: [EntityIndex: [Slot]]

    init(_ model: ManagedObjectModel) {
        var slots: [EntityIndex: [Slot]] = [:]
        for entity in model.entities where entity.generatesValues {
            let own = entity.generatedAttributes.filter { $0.type == .integer64 }.compactMap(\.slot)
            if !own.isEmpty { slots[entity.index] = own }
        }
        self.slots = slots
    }

    /// Takes a reserved number; `nil` where none is left.
    func take(_ key: Key) -> Int64? {
        reserves.withLock { reserves in
            guard let range = reserves[key]?.ranges.first else { return nil }
            let rest = (range.lowerBound + 1)..<range.upperBound
            if rest.isEmpty { reserves[key]?.ranges.removeFirst() } else { reserves[key]?.ranges[0] = rest }
            return range.lowerBound
        }
    }

    /// Returns the number of numbers to reserve, which doubles.
    func nextBlockSize(_ key: Key) -> Int {
        reserves.withLock { reserves in
            let size = reserves[key, default: Reserve()].blockSize
            reserves[key]?.blockSize = min(2 * size, SequenceNumbers.greatestBlock)
            return size
        }
    }

    func add(_ range: Range<Int64>, _ key: Key) {
        if !range.isEmpty { reserves.withLock { $0[key, default: Reserve()].ranges.append(range) } }
    }

    /// Returns the value that numbers have to be above; `nil` where the store was not asked for the greatest one.
    func floor(_ key: Key) -> Int64? {
        reserves.withLock { reserves in reserves[key].flatMap { known in known.stored.map { max($0, known.saved) } } }
    }

    func note(stored: Int64, _ key: Key) { reserves.withLock { $0[key, default: Reserve()].stored = stored } }

    /// Notes a value that an object is saved with, which may be the program's own: neither it nor a lower number is given later.
    func note(saved: Int64, _ key: Key) {
        reserves.withLock { reserves in
            // The object may be deleted later, or not be saved: the store is asked.
            if saved >= SequenceNumbers.greatest { return reserves[key] = nil }
            reserves[key, default: Reserve()].saved.raise(to: saved)
            guard let ranges = reserves[key]?.ranges, ranges.contains(where: { $0.lowerBound <= saved }) else { return }
            reserves[key]?.ranges = ranges.compactMap { $0.upperBound - 1 <= saved ? nil : max($0.lowerBound, saved + 1)..<$0.upperBound }
        }
    }

    /// Notes the values that rows are saved with.
    func note(_ request: SaveChangesRequest, _ model: ManagedObjectModel) {
        if slots.isEmpty { return }
        for part in request.parts {
            var greatest: [EntityIndex: Int64] = [:]
            func note(_ row: Row) {
                for slot in slots[row.entityIndex] ?? [] {
                    if let value = row.integer(slot) { greatest[model.entities[row.entityIndex].root, default: 0].raise(to: value) }
                }
            }
            for row in part.changes.inserted { note(row) }
            for update in part.changes.updated { note(update.row) }
            for (root, value) in greatest { self.note(saved: value, Key(storeID: part.storeID, root: root)) }
        }
    }

    /// Forgets what is known of a store that was replaced, or whose values a batch request changed.
    func forget(_ storeID: StoreID, _ root: EntityIndex? = nil) {
        reserves.withLock { reserves in
            for key in reserves.keys where key.storeID == storeID && root ?? key.root == key.root { reserves[key] = nil }
        }
    }
}

extension PersistentStoreCoordinator {
    /// Returns the next number of an entity's `GeneratedValue/sequence`, which no other caller gets over the same store.
    ///
    /// Numbers are reserved in blocks, each in a transaction of its own, in the store for new objects of the entity.
    ///
    /// - Throws: `StoreError` with `noStore`, `readOnly`, `locked` after the time-out, `tooLarge` where none is left, or `io`.
    public func sequenceNumber(for entity: EntityDescription) throws -> Int64 {
        let key = SequenceNumbers.Key(storeID: try storeForNewObjects(of: entity), root: entity.root)
        if let number = sequences.take(key) { return number }
        let floor = try sequenceFloor(of: entity, key)
        let count = sequences.nextBlockSize(key)
        let first = try reserveNumbers(count, above: floor, of: entity) { try reserve($0, key) }
        sequences.add((first + 1)..<(first + Int64(count)), key)
        return first
    }

    /// Returns the value that numbers have to be above: the greatest that objects have already, such as those of an import or of a store that was
    /// converted.
    func sequenceFloor(of entity: EntityDescription, _ key: SequenceNumbers.Key) throws -> Int64 {
        if let known = sequences.floor(key) { return known }
        var greatest: Int64 = 0
        for index in model.entities[entity.root].hierarchy {
            let entity = model.entities[index]
            for attribute in entity.generatedAttributes where attribute.declaringEntity == index && attribute.type == .integer64 {
                let path = try PropertyPath(attribute.name, of: entity, in: model)
                let plan = FetchPlan(entity, .groups(GroupPlan(keys: [], aggregates: [.init(.max, .path(path))])))
                guard case .groups(let groups) = try fetch(plan, affectedStores: [key.storeID]) else { continue }
                for group in groups { if case .int(let value) = group.partials[0].max { greatest = max(greatest, value) } }
            }
        }
        if greatest < SequenceNumbers.greatest { sequences.note(stored: greatest, key) }
        return sequences.floor(key) ?? greatest
    }

    /// Reserves consecutive numbers above others, and passes those in between over.
    ///
    /// - Parameter reserve: Reserves some references of the hierarchy.
    /// - Throws: `StoreError` with `tooLarge`, before anything is passed over, where none would be left.
    func reserveNumbers(
        _ count: Int, above floor: Int64, of entity: EntityDescription, _ reserve: (Int) throws -> Int64
    ) throws -> Int64 {
        guard floor < SequenceNumbers.greatest - Int64(count) else {
            let name = entity.generatedAttributes.first { $0.type == .integer64 }?.name
            throw StoreError(
                .tooLarge, .save, "an object has the number \(floor), and none is left above it", entity: entity.name, key: name)
        }
        var first = try reserve(count)
        // Stores may have lower references left from before.
        while first <= floor {
            let rest = floor - (first + Int64(count) - 1)
            if rest > 0 { _ = try reserve(Int(rest)) }
            first = try reserve(count)
        }
        return first
    }

    private func reserve(_ count: Int, _ key: SequenceNumbers.Key) throws -> Int64 {
        try write(toStore: { try requireEntry(storeID: key.storeID, .obtainPermanentIDs) }, isRepeatable: true) { entry, writer in
            try entry.reserveReferences(count, root: key.root, in: writer.transaction)
        }
    }
}
