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
        var floor: Int64?
    }

    private static let greatestBlock = 512
    private let reserves = Mutex<[Key: Reserve]>([:])

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

    func floor(_ key: Key) -> Int64? { reserves.withLock { $0[key]?.floor } }
    func note(floor: Int64, _ key: Key) { reserves.withLock { $0[key, default: Reserve()].floor = floor } }
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
        let floor = try advanceSequence(of: entity, key)
        var (count, first) = (0, Int64.min)
        // Stores may have lower references left from before; without a lock, as a writer of the store may be waiting for a number.
        while first <= floor {
            count = sequences.nextBlockSize(key)
            first = try reserve(count, key)
        }
        sequences.add((first + 1)..<(first + Int64(count)), key)
        return first
    }

    /// Raises the store's counter above the values that objects have already, such as those of an import or of a store that was converted.
    ///
    /// - Returns: The greatest of these values; numbers up to it are not given.
    func advanceSequence(of entity: EntityDescription, _ key: SequenceNumbers.Key) throws -> Int64 {
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
        if greatest > 0 {
            let next = try reserve(1, key)
            if next < greatest { _ = try reserve(Int(greatest - next), key) }
        }
        sequences.note(floor: greatest, key)
        return greatest
    }

    private func reserve(_ count: Int, _ key: SequenceNumbers.Key) throws -> Int64 {
        try write(toStore: { try requireEntry(storeID: key.storeID, .obtainPermanentIDs) }, isRepeatable: true) { entry, writer in
            try entry.reserveReferences(count, root: key.root, in: writer.transaction)
        }
    }
}
