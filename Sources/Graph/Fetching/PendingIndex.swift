import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore

/// The objects whose rows a save would change, by the values of attributes that fetches ask for.
///
/// A fetch tests all of them. Of a second fetch that asks for equal values of one attribute only those with such a
/// value are tested: this finds them. Values are read from the rows as they would be saved, so that what is not found
/// cannot pass the test.
final class PendingIndex {
    /// An attribute of the rows of some entities, with the values that are asked for.
    struct Question {
        fileprivate let column: ColumnID
        fileprivate let values: Set<Value>

        /// Finds a condition on the value of an attribute, which all objects of the answer meet.
        init?(_ plan: FetchPlan) {
            for conjunct in plan.predicate?.conjuncts ?? [] {
                guard case .comparison(let comparison) = conjunct, comparison.options.isEmpty, comparison.left.variable == 0,
                    comparison.left.steps.isEmpty, let attribute = comparison.left.attribute, !attribute.isDerived,
                    let slot = comparison.left.leafSlot, let constant = comparison.right.constant
                else { continue }
                let given: [Value]
                switch (comparison.operator, constant) {
                case (.isIn, .list(let list)): given = list
                case (.equal, .list): continue
                case (.equal, _): given = [constant]
                default: continue
                }
                let kind = comparison.left.leafKind
                guard given.allSatisfy({ Question.isHashed($0, kind) }) else { continue }
                column = ColumnID(entities: plan.entities, slot: slot, kind: kind)
                values = Set(given)
                return
            }
            return nil
        }

        /// Returns whether all values of a slot that equal one are equal for a dictionary, too.
        private static func isHashed(_ value: Value, _ kind: SlotKind) -> Bool {
            switch (kind, value) {
            case (.integer, .int), (.string, .string), (.uuid, .uuid), (.integer, .null), (.string, .null), (.uuid, .null): true
            default: false
            }
        }
    }

    fileprivate struct ColumnID: Hashable {
        let entities: Range<EntityIndex>
        let slot: Slot
        let kind: SlotKind
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
        for object in objects where id.entities.contains(object.entity.index) {
            let old = column.entries.removeValue(forKey: ObjectIdentifier(object))
            if old?.value != nil { column.outdated += 1 }
            guard object.flags.contains(.listed), object.changesRow else { continue }
            lastNumber += 1
            var value: Value?
            if !object.isDeleted {
                packedCount += 1
                let row = try resolvers.resolver(of: object).row(of: object)
                try row.requireAvailable(id.slot, id.kind)
                value = row.value(id.slot, id.kind)
            }
            let entry = Entry(object: object, value: value, number: lastNumber, first: old?.first ?? lastNumber)
            column.entries[ObjectIdentifier(object)] = entry
            if let value { column.objects[value, default: []].append(entry) }
        }
    }
}
