import StrataStore

/// The objects whose rows a save would change, by the values of attributes that fetches ask for.
///
/// A fetch tests all of them. Of a second fetch that asks for equal values of one attribute only those with such a
/// value are tested: this finds them. Values are read from the rows as they would be saved, so that what is not found
/// cannot pass the test.
final class PendingIndex {
    /// An attribute of the rows of some entities, with the requested values.
    struct Question {
        fileprivate let column: ColumnID
        fileprivate let values: Set<Value>

        /// Finds a condition on the value of an attribute or to-one relationship, which all objects of the answer meet.
        init?(_ plan: FetchPlan) {
            for conjunct in plan.predicate?.conjuncts ?? [] {
                guard case .comparison(let comparison) = conjunct, !comparison.options.collates, comparison.left.variable == 0,
                    comparison.left.steps.isEmpty, comparison.left.attribute?.isDerived != true,
                    let slot = comparison.left.leafSlot, let constant = comparison.right.constant
                else { continue }
                let given: [Value]
                switch (comparison.operator, constant) {
                case (.isIn, .list(let list)) where comparison.options.isEmpty: given = list
                case (.equal, .list): continue
                case (.equal, _): given = [constant]
                default: continue
                }
                let kind = comparison.left.leafKind
                let keys = given.compactMap { Question.key($0, kind) }
                guard keys.count == given.count else { continue }
                column = ColumnID(entities: plan.entities, slot: slot, kind: kind, folding: comparison.options.folding)
                values = Set(keys.map(column.folded))
                return
            }
            return nil
        }

        /// Returns the value of a slot that equals a constant; `nil` where it may be several.
        private static func key(_ constant: Value, _ kind: SlotKind) -> Value? {
            switch (kind, constant) {
            case (.integer, .int), (.string, .string), (.uuid, .uuid), (.date, .date), (.double, .double), (.float, .double),
                (.integer, .null), (.string, .null), (.uuid, .null), (.date, .null), (.double, .null), (.float, .null):
                constant
            // A reference to an object that was deleted unsaved counts as nil, and as the same again after an undo.
            case (.reference, .objectID(let id)): .int(id.reference)
            default: nil
            }
        }
    }

    fileprivate struct ColumnID: Hashable {
        let entities: Range<EntityIndex>
        let slot: Slot
        let kind: SlotKind
        /// The options by which texts are compared.
        let folding: TextOptions

        func folded(_ value: Value) -> Value {
            if !folding.isEmpty, case .string(let text) = value { .string(TextFolding.fold(text, folding)) } else { value }
        }
    }

    /// The objects by one attribute.
    // A class, so that a change never copies it.
    private final class Column {
        /// The objects that once had a value; they are tested again, and dropped where they have another one.
        var objects: [Value: [Entry]] = [:]
        var entries: [ObjectIdentifier: Entry] = [:]
        var outdated = 0
    }

    /// An object with a value, or a deleted one without.
    private struct Entry {
        let object: ManagedObject
        let value: Value?
        /// Increases with each change; of the first one also orders the objects.
        let number: Int
        let first: Int
    }

    /// The number of changed objects up to which a fetch tests all.
    static let fewObjects = 32
    private static let mostColumns = 8

    private var columns: [ColumnID: Column] = [:]
    private var asked: Set<ColumnID> = []
    /// The objects that were changed since the last search.
    private var touched: [ManagedObject] = []
    private var touchedSet: Set<ObjectIdentifier> = []
    private var lastNumber = 0
    /// The number of rows that were read, for tests.
    private(set) var packedCount = 0

    /// Records that the row of a changed object may be another one.
    func touch(_ object: ManagedObject) {
        if columns.isEmpty { return }
        if touchedSet.insert(ObjectIdentifier(object)).inserted { touched.append(object) }
    }

    /// Forgets the objects, but not what was asked.
    func forgetObjects() {
        if columns.isEmpty { return }
        columns = [:]
        (touched, touchedSet) = ([], [])
    }

    /// Returns the objects that may meet a condition, in the order of their changes, and the number of all; `nil` for
    /// the first such search.
    ///
    /// - Throws: The error of reading an object's row, or of finding its store.
    func objects(_ question: Question, _ context: ManagedObjectContext) throws -> (found: [ManagedObject], count: Int)? {
        let id = question.column
        if asked.insert(id).inserted { return nil }
        do {
            try update(context)
            if columns[id] == nil {
                if columns.count >= PendingIndex.mostColumns { columns = [:] }
                try add(context.tracker.changed, to: id, PendingOverlay.Resolvers(context))
            }
        } catch {
            forgetObjects()
            throw error
        }
        guard let column = columns[id] else { return nil }
        var found: [Entry] = []
        for value in question.values {
            guard let entries = column.objects[value] else { continue }
            let current = entries.filter { column.entries[ObjectIdentifier($0.object)]?.number == $0.number }
            if current.count < entries.count {
                column.outdated -= entries.count - current.count
                column.objects[value] = current.isEmpty ? nil : current
            }
            found += current
        }
        if found.count > 1 { found.sort { $0.first < $1.first } }
        return (found.map(\.object), column.entries.count)
    }

    /// Brings all columns up to date with the objects that were changed.
    private func update(_ context: ManagedObjectContext) throws {
        if touched.isEmpty { return }
        let objects = touched
        (touched, touchedSet) = ([], [])
        let resolvers = PendingOverlay.Resolvers(context)
        for id in columns.keys {
            try add(objects, to: id, resolvers)
            if let column = columns[id], column.outdated > 2 * column.entries.count + 1_024 { columns[id] = nil }
        }
    }

    private func add(_ objects: [ManagedObject], to id: ColumnID, _ resolvers: PendingOverlay.Resolvers) throws {
        let column = columns[id] ?? Column()
        columns[id] = column
        for object in objects where id.entities.contains(object.entityIndex) {
            let old = column.entries.removeValue(forKey: ObjectIdentifier(object))
            if old?.value != nil { column.outdated += 1 }
            guard object.flags.contains(.listed), object.changesRow else { continue }
            lastNumber += 1
            var value: Value?
            if !object.isDeleted {
                packedCount += 1
                value = try PendingIndex.value(of: object, id, resolvers)
            }
            let entry = Entry(object: object, value: value, number: lastNumber, first: old?.first ?? lastNumber)
            column.entries[ObjectIdentifier(object)] = entry
            if let value { column.objects[value, default: []].append(entry) }
        }
    }
    private static func value(of object: ManagedObject, _ id: ColumnID, _ resolvers: PendingOverlay.Resolvers) throws -> Value {
        if id.kind == .reference { return try resolvers.reference(of: object, at: id.slot).map { .int($0) } ?? .null }
        let row = try resolvers.resolver(of: object).row(of: object)
        try row.requireAvailable(id.slot, id.kind)
        return id.folded(row.value(id.slot, id.kind))
    }
}
