/// Packs the changes of a transaction for its store's history, as ``HistoryBody`` describes.
///
/// ```swift
/// var writer = HistoryBodyWriter(model)
/// for row in changes.inserted { writer.insert(row.entityIndex, row.reference) }
/// let bytes = writer.finish()
/// ```
/// Changes of one kind in objects of one entity with consecutive references take no space of their own. Inserted
/// objects come first, then updated, then deleted ones; each object once.
// Not copied: a copy would count references to all of its parts.
public struct HistoryBodyWriter: ~Copyable {
    /// The names that the updates of an entity's objects use.
    private struct Names {
        var names: [String] = []
        var indices: [Int: Int] = [:]
        /// The sets of changed properties, as the indexes of their names.
        var sets: [[Int]] = []
        /// The indexes of the sets, where there are many.
        var known: [[Int]: Int] = [:]
        private static let fewSets = 8

        /// Returns the index of a set of an entity's properties.
        mutating func set(_ properties: some Sequence<Int>, of entity: EntityDescription) -> Int {
            var set: [Int] = []
            for property in properties {
                // An element of a composite value counts as the whole value: the first one's property represents it.
                let description = entity.properties[property]
                let composite = description.attribute?.compositeName
                let key = composite.flatMap { name in names.firstIndex(of: name) } ?? indices[property]
                let index = key ?? names.count
                if key == nil {
                    names.append(composite ?? description.name)
                    indices[property] = index
                }
                if !set.contains(index) { set.append(index) }
            }
            set.sort()
            if let found = sets.count > Names.fewSets ? known[set] : sets.firstIndex(of: set) { return found }
            if sets.count == Names.fewSets { known = Dictionary(uniqueKeysWithValues: zip(sets, 0...)) }
            if sets.count >= Names.fewSets { known[set] = sets.count }
            sets.append(set)
            return sets.count - 1
        }
    }

    /// An entity of changed objects.
    private struct Entity {
        let description: EntityDescription
        /// `nil` without updates.
        var names: Names?
        var preserved: [AttributeDescription] = []
    }

    private let model: ManagedObjectModel
    private var entities: [Entity] = []
    /// The groups before the one that is being written.
    private var groups: [UInt8] = []
    // The group that is being written: changes of one kind in objects of an entity.
    private var group: (entity: EntityIndex, index: Int, kind: HistoryBody.Kind)?
    /// The runs of the group before the last one, the end of which is the last number, and how many they are.
    private var runs: (bytes: [UInt8], count: Int, end: Int64) = ([], 0, 0)
    /// The references of the last run: from the first one up to the next one.
    private var run: (first: Int64, end: Int64) = (0, 0)
    private var sets: [UInt8] = []
    private var set: (index: Int, count: Int) = (0, 0)
    /// The slots that were looked up last: most updates of a save change the same.
    private var lastSlots: (entity: EntityIndex, slots: [Slot], set: Int)?
    private var tombstones: [UInt8] = []

    /// Creates a writer for changes of a model's objects.
    public init(_ model: ManagedObjectModel) { self.model = model }

    /// Whether nothing was added.
    public var isEmpty: Bool { group == nil }

    /// Adds an inserted object.
    @inline(__always)
    public mutating func insert(_ entity: EntityIndex, _ reference: Int64) { add(.insert, entity, reference) }

    /// Adds an object of which some slots changed.
    public mutating func update(_ entity: EntityIndex, _ reference: Int64, slots: [Slot]) {
        add(.update, entity, reference)
        if let lastSlots, lastSlots.entity == entity, lastSlots.slots == slots { return add(set: lastSlots.set) }
        let layout = model.entities[entity].layout
        let index = index(of: slots.lazy.map { layout.slots[$0].property })
        lastSlots = (entity, slots, index)
        add(set: index)
    }

    /// Adds an object of which some properties changed, by their indexes.
    public mutating func update(_ entity: EntityIndex, _ reference: Int64, properties: some Sequence<Int>) {
        add(.update, entity, reference)
        add(set: index(of: properties))
    }

    /// Returns the index of a set of properties of the group's entity.
    private mutating func index(of properties: some Sequence<Int>) -> Int {
        let entity = group?.index ?? 0
        var names = entities[entity].names ?? Names()
        // Not copied for the change.
        entities[entity].names = nil
        defer { entities[entity].names = names }
        return names.set(properties, of: entities[entity].description)
    }

    /// Adds a deleted object, with the row of its preserved values.
    public mutating func delete(_ entity: EntityIndex, _ reference: Int64, tombstone: Row?) {
        add(.delete, entity, reference)
        guard let index = group?.index, !entities[index].preserved.isEmpty else { return }
        let preserved = entities[index].preserved
        var present = [UInt8](repeating: 0, count: (preserved.count + 7) / 8)
        for (index, attribute) in preserved.enumerated() {
            if let tombstone, let slot = attribute.slot, !tombstone.isNull(slot) { present[index / 8] |= 1 << (index % 8) }
        }
        tombstones += present
        guard let tombstone else { return }
        withExtendedLifetime(tombstone) {
            for attribute in preserved {
                guard let slot = attribute.slot, !tombstone.isNull(slot) else { continue }
                if attribute.slotKind.isVariable, let bytes = unsafe tombstone.bytes(slot) {
                    tombstones.put(varint: UInt64(bytes.count))
                    unsafe tombstones.append(contentsOf: bytes)
                } else {
                    tombstones.put(word: tombstone.rawWord(slot))
                }
            }
        }
    }

    /// Returns the bytes, with the before-images of a store that keeps them.
    public consuming func finish(_ values: HistoryValuesWriter? = nil) -> [UInt8] {
        let images = values?.finish()
        var out: [UInt8] = []
        // Most transactions are short: one allocation holds all of it.
        out.reserveCapacity(96 + (images?.count ?? 0) + groups.count + runs.bytes.count + sets.count + tombstones.count)
        out.append(images == nil ? HistoryBody.version : HistoryBody.versionWithValues)
        if let images {
            out.put(varint: UInt64(images.count))
            out += images
        }
        out.put(varint: UInt64(entities.count))
        for index in entities.indices { put(entities[index], to: &out) }
        out += groups
        putGroup(to: &out)
        let checksum = CRC32C.checksum(of: out)
        for shift in stride(from: UInt32(0), to: 32, by: 8) { out.append(UInt8(truncatingIfNeeded: checksum >> shift)) }
        return out
    }

    private func put(_ entity: Entity, to out: inout [UInt8]) {
        out.put(short: entity.description.name)
        if let names = entity.names {
            out.put(varint: UInt64(names.names.count))
            for name in names.names { out.put(short: name) }
            out.put(varint: UInt64(names.sets.count))
            for set in names.sets {
                out.put(varint: UInt64(set.count))
                for index in set { out.put(varint: UInt64(index)) }
            }
        } else {
            // No names, and no sets.
            out.append(0)
            out.append(0)
        }
        out.put(varint: UInt64(entity.preserved.count))
        for attribute in entity.preserved {
            out.put(short: attribute.name)
            out.append(attribute.slotKind.rawValue)
        }
    }

    @inline(__always)
    private mutating func add(_ kind: HistoryBody.Kind, _ entity: EntityIndex, _ reference: Int64) {
        if let group, group.entity == entity, group.kind == kind {
            if reference == run.end && reference < .max {
                run.end &+= 1
                return
            }
            HistoryBodyWriter.put(run, after: runs.end, to: &runs.bytes)
            runs.count += 1
            runs.end = run.end
        } else {
            begin(kind, entity)
        }
        run = (reference, reference &+ 1)
    }

    private mutating func begin(_ kind: HistoryBody.Kind, _ entity: EntityIndex) {
        if group != nil {
            var all = groups
            groups = []
            putGroup(to: &all)
            groups = all
            (runs, sets, set, tombstones) = (([], 0, 0), [], (0, 0), [])
        }
        let index = entities.firstIndex { $0.description.index == entity } ?? entities.count
        if index == entities.count { entities.append(Entity(description: model.entities[entity])) }
        if kind == .delete { entities[index].preserved = entities[index].description.preservedAttributes.filter { $0.slot != nil } }
        group = (entity, index, kind)
    }

    private mutating func add(set index: Int) {
        if set.count > 0, set.index == index {
            set.count += 1
            return
        }
        HistoryBodyWriter.put(set, to: &sets)
        set = (index, 1)
    }

    private static func put(_ set: (index: Int, count: Int), to out: inout [UInt8]) {
        if set.count == 0 { return }
        out.put(varint: UInt64(set.index))
        out.put(varint: UInt64(set.count))
    }

    private static func put(_ run: (first: Int64, end: Int64), after end: Int64, to out: inout [UInt8]) {
        out.put(signed: run.first &- end)
        out.put(varint: UInt64(bitPattern: run.end &- run.first))
    }

    /// Writes the group whose last run and set are still open.
    private func putGroup(to out: inout [UInt8]) {
        guard let group else { return }
        out.put(varint: UInt64(group.index) * 4 + UInt64(group.kind.rawValue))
        out.put(varint: UInt64(runs.count + 1))
        out += runs.bytes
        HistoryBodyWriter.put(run, after: runs.end, to: &out)
        out += sets
        HistoryBodyWriter.put(set, to: &out)
        out += tombstones
    }
}
