/// Packs the changes of a transaction for its store's history, as ``HistoryBody`` describes.
///
/// ```swift
/// var writer = HistoryBodyWriter(model)
/// for row in changes.inserted { writer.insert(row.entityIndex, row.reference) }
/// let bytes = writer.finish()
/// ```
/// Changes of one kind in objects of one entity with consecutive references take no space of their own. Inserted
/// objects come first, then updated, then deleted ones; each object once.
public struct HistoryBodyWriter {
    /// An entity with the names that its changes use.
    private struct Names {
        let entity: EntityDescription
        var names: [String] = []
        var indices: [Int: Int] = [:]
        /// The sets of changed properties, each as the indexes of their names.
        var sets: [[Int]: Int] = [:]
        var ordered: [[Int]] = []
        var preserved: [AttributeDescription] = []

        /// Returns the index of a set of properties.
        mutating func set(_ properties: some Sequence<Int>) -> Int {
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
            if let known = sets[set] { return known }
            sets[set] = ordered.count
            ordered.append(set)
            return ordered.count - 1
        }
    }

    private let model: ManagedObjectModel
    private var entities: [Names] = []
    private var groups = ByteWriter<UInt32>()
    // The group that is being written: changes of one kind in objects of an entity.
    private var group: (entity: EntityIndex, index: Int, kind: HistoryBody.Kind)?
    private var runs = ByteWriter<UInt32>()
    private var runCount = 0
    /// The references of the last run: from the first one up to the next one.
    private var run: (first: Int64, end: Int64) = (0, 0)
    private var lastEnd: Int64 = 0
    private var sets = ByteWriter<UInt32>()
    private var set: (index: Int, count: Int) = (0, 0)
    /// The slots that were looked up last: most updates of a save change the same.
    private var lastSlots: (entity: EntityIndex, slots: [Slot], set: Int)?
    private var tombstones = ByteWriter<UInt32>()

    /// Creates a writer for changes of a model's objects.
    public init(_ model: ManagedObjectModel) { self.model = model }

    /// Whether nothing was added.
    public var isEmpty: Bool { group == nil && groups.bytes.isEmpty }

    /// Adds an inserted object.
    @inline(__always)
    public mutating func insert(_ entity: EntityIndex, _ reference: Int64) { add(.insert, entity, reference) }

    /// Adds an object of which some slots changed.
    public mutating func update(_ entity: EntityIndex, _ reference: Int64, slots: [Slot]) {
        add(.update, entity, reference)
        if let lastSlots, lastSlots.entity == entity, lastSlots.slots == slots { return add(set: lastSlots.set) }
        let layout = model.entities[entity].layout
        let index = entities[group?.index ?? 0].set(slots.lazy.map { layout.slots[$0].property })
        lastSlots = (entity, slots, index)
        add(set: index)
    }

    /// Adds an object of which some properties changed, by their indexes.
    public mutating func update(_ entity: EntityIndex, _ reference: Int64, properties: some Sequence<Int>) {
        add(.update, entity, reference)
        add(set: entities[group?.index ?? 0].set(properties))
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
        tombstones.put(raw: present)
        guard let tombstone else { return }
        withExtendedLifetime(tombstone) {
            for attribute in preserved {
                guard let slot = attribute.slot, !tombstone.isNull(slot) else { continue }
                if attribute.slotKind.isVariable, let bytes = unsafe tombstone.bytes(slot) {
                    tombstones.put(varint: UInt64(bytes.count))
                    unsafe tombstones.put(raw: bytes)
                } else {
                    tombstones.put(tombstone.rawWord(slot))
                }
            }
        }
    }

    /// Returns the bytes, with the before-images of a store that keeps them.
    public consuming func finish(_ values: HistoryValuesWriter? = nil) -> [UInt8] {
        endGroup()
        var out = ByteWriter<UInt32>()
        out.put(values == nil ? HistoryBody.version : HistoryBody.versionWithValues)
        if let values {
            let images = values.finish()
            out.put(varint: UInt64(images.count))
            out.put(raw: images)
        }
        out.put(varint: UInt64(entities.count))
        for names in entities {
            out.put(short: names.entity.name)
            out.put(varint: UInt64(names.names.count))
            for name in names.names { out.put(short: name) }
            out.put(varint: UInt64(names.ordered.count))
            for set in names.ordered {
                out.put(varint: UInt64(set.count))
                for index in set { out.put(varint: UInt64(index)) }
            }
            out.put(varint: UInt64(names.preserved.count))
            for attribute in names.preserved {
                out.put(short: attribute.name)
                out.put(attribute.slotKind.rawValue)
            }
        }
        out.put(raw: groups.bytes)
        return out.sealed(as: UInt32.self)
    }

    @inline(__always)
    private mutating func add(_ kind: HistoryBody.Kind, _ entity: EntityIndex, _ reference: Int64) {
        if let group, group.entity == entity, group.kind == kind {
            if reference == run.end && reference < .max {
                run.end &+= 1
                return
            }
            endRun()
        } else {
            begin(kind, entity)
        }
        run = (reference, reference &+ 1)
    }

    private mutating func begin(_ kind: HistoryBody.Kind, _ entity: EntityIndex) {
        endGroup()
        let index = entities.firstIndex { $0.entity.index == entity } ?? entities.count
        if index == entities.count { entities.append(Names(entity: model.entities[entity])) }
        if kind == .delete { entities[index].preserved = entities[index].entity.preservedAttributes.filter { $0.slot != nil } }
        group = (entity, index, kind)
    }

    private mutating func add(set index: Int) {
        if set.count > 0, set.index == index {
            set.count += 1
            return
        }
        endSet()
        set = (index, 1)
    }

    private mutating func endSet() {
        if set.count == 0 { return }
        sets.put(varint: UInt64(set.index))
        sets.put(varint: UInt64(set.count))
        set = (0, 0)
    }

    private mutating func endRun() {
        runs.put(signed: run.first &- lastEnd)
        runs.put(varint: UInt64(bitPattern: run.end &- run.first))
        lastEnd = run.end
        runCount += 1
    }

    private mutating func endGroup() {
        guard let group else { return }
        endRun()
        endSet()
        groups.put(varint: UInt64(group.index) * 4 + UInt64(group.kind.rawValue))
        groups.put(varint: UInt64(runCount))
        groups.put(raw: runs.bytes)
        groups.put(raw: sets.bytes)
        groups.put(raw: tombstones.bytes)
        (runs, sets, tombstones) = (ByteWriter(), ByteWriter(), ByteWriter())
        (runCount, lastEnd) = (0, 0)
        self.group = nil
    }
}
