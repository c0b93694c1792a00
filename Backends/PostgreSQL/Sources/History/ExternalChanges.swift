import FoundationEssentials
import StrataSQL

/// The changes of other programs to a store, as the log has them, for the history: the outcome of all of them for each object.
struct ExternalChanges {
    private enum Outcome {
        case inserted
        /// Some properties changed, by their indexes.
        case updated(Set<Int>)
        case deleted(Row)
    }

    private struct RowID: Hashable {
        let root: EntityIndex
        let reference: Int64
    }

    /// The columns of a row before or after a change; `nil` for a new or deleted one.
    private typealias Columns = [String: String?]

    private let model: ManagedObjectModel
    private let schema: StoreSchema
    private var outcomes: [RowID: (entity: EntityIndex, outcome: Outcome)] = [:]
    private var writer = RowWriter()

    /// Reads the result of ``ExternalTrigger/taking``.
    init(_ result: ResultTable, _ schema: StoreSchema, _ model: ManagedObjectModel) {
        (self.schema, self.model) = (schema, model)
        let tables = Dictionary(schema.tables.values.map { ($0.name.name, $0) }) { first, _ in first }
        let joins = Dictionary(schema.joins.enumerated().compactMap { index, join in join.map { ($0.name.name, (index, $0)) } }) { $1 }
        var row = 0
        while row < result.count {
            let (number, relation) = (result.integer(row, 0), result.text(row, 1) ?? "")
            var (former, latter): (Columns?, Columns?) = (nil, nil)
            while row < result.count, result.integer(row, 0) == number {
                let (name, value) = (result.text(row, 3) ?? "", result.text(row, 4))
                if result.number(row, 2, as: UInt8.self) == 1 {
                    latter = latter ?? [:]
                    latter?.updateValue(value, forKey: name)
                } else {
                    former = former ?? [:]
                    former?.updateValue(value, forKey: name)
                }
                row += 1
            }
            if let table = tables[relation] {
                add(table, former, latter)
            } else if let (index, join) = joins[relation] {
                add(model.linkTables[index], join, [former, latter].compactMap(\.self))
            }
        }
    }

    private static func number(_ columns: Columns?, _ name: String) -> Int64? { columns?[name]?.flatMap { Int64($0) } }

    // MARK: - Rows

    private mutating func add(_ table: EntityTable, _ former: Columns?, _ latter: Columns?) {
        func object(_ columns: Columns?) -> (entity: EntityIndex, reference: Int64)? {
            guard let reference = ExternalChanges.number(columns, EntityTable.id),
                let entity = ExternalChanges.number(columns, EntityTable.entity).flatMap({ table.entity(ofNumber: $0) })
            else { return nil }
            return (entity, reference)
        }
        let (old, new) = (object(former), object(latter))
        if let old, let new, old == new {
            let columns = Set((latter ?? [:]).keys)
            update(old.entity, old.reference, properties(table, old.entity).filter { columns.contains($0.column) }.map(\.index))
        } else {
            if let old, let former { delete(old.entity, old.reference, tombstone(table, old.entity, old.reference, former)) }
            if let new { insert(new.entity, new.reference) }
        }
        for (entity, columns, others) in [(old?.entity, former, latter), (new?.entity, latter, former)] {
            guard let entity, let columns else { continue }
            for relationship in model.entities[entity].relationships {
                guard case .toOne(let slot, _, _) = relationship.storage, let inverse = model.inverse(of: relationship), inverse.isToMany,
                    !inverse.isHidden, case let name = table.column(slot, of: entity).name,
                    let owner = ExternalChanges.number(columns, name), owner != ExternalChanges.number(others, name)
                else { continue }
                update(relationship.destination, owner, [inverse.index])
            }
        }
    }

    /// The properties of an entity by their columns.
    private func properties(_ table: EntityTable, _ entity: EntityIndex) -> [(column: String, index: Int)] {
        model.entities[entity].layout.indexedSlots.map { (table.column($0, of: entity).name, $1.property) }
    }

    private mutating func add(_ links: LinkTable, _ join: JoinTable, _ rows: [Columns]) {
        for columns in rows {
            for (end, column) in [(links.first, join.first), (links.second, join.second)] {
                if let reference = ExternalChanges.number(columns, column) { update(end.entity, reference, [end.property]) }
            }
        }
    }

    /// Returns a row with the preserved values of a deleted object.
    private mutating func tombstone(_ table: EntityTable, _ entity: EntityIndex, _ reference: Int64, _ columns: Columns) -> Row {
        let description = model.entities[entity]
        writer.begin(description, reference: reference, version: 1)
        for attribute in description.preservedAttributes {
            guard let slot = attribute.slot, let text = columns[table.column(slot, of: entity).name] ?? nil,
                let value = Value(jsonText: text, attribute.slotKind)
            else { continue }
            writer.set(value, at: slot, attribute.slotKind)
        }
        return writer.finish()
    }

    // MARK: - Outcomes

    private func id(_ entity: EntityIndex, _ reference: Int64) -> RowID { RowID(root: model.entities[entity].root, reference: reference) }

    private mutating func insert(_ entity: EntityIndex, _ reference: Int64) {
        let id = self.id(entity, reference)
        // Under a key that was in use before, it is another state of the object.
        let isKnown = outcomes[id].map { if case .deleted = $0.outcome { true } else { false } } ?? false
        outcomes[id] = (entity, isKnown ? .updated(Set(model.entities[entity].properties.map(\.index))) : .inserted)
    }

    private mutating func update(_ entity: EntityIndex, _ reference: Int64, _ properties: [Int]) {
        let id = self.id(entity, reference)
        switch outcomes[id]?.outcome {
        case .inserted, .deleted: break
        case .updated(let known):
            // An end of a link may name an ancestor.
            let current = outcomes[id]?.entity ?? entity
            let isMore = model.entities[entity].properties.count > model.entities[current].properties.count
            outcomes[id] = (isMore ? entity : current, .updated(known.union(properties)))
        case nil: outcomes[id] = (entity, .updated(Set(properties)))
        }
    }

    private mutating func delete(_ entity: EntityIndex, _ reference: Int64, _ tombstone: Row) {
        let id = self.id(entity, reference)
        if case .inserted? = outcomes[id]?.outcome { outcomes[id] = nil } else { outcomes[id] = (entity, .deleted(tombstone)) }
    }

    /// The changes as a body of a history; `nil` where there are none.
    var body: [UInt8]? {
        var body = HistoryBodyWriter(model)
        let sorted = outcomes.sorted { ($0.value.entity, $0.key.reference) < ($1.value.entity, $1.key.reference) }
        for (id, change) in sorted { if case .inserted = change.outcome { body.insert(change.entity, id.reference) } }
        for (id, change) in sorted {
            if case .updated(let properties) = change.outcome, !properties.isEmpty {
                body.update(change.entity, id.reference, properties: properties.sorted())
            }
        }
        for (id, change) in sorted {
            if case .deleted(let row) = change.outcome { body.delete(change.entity, id.reference, tombstone: row) }
        }
        return body.isEmpty ? nil : body.finish()
    }
}

extension Value {
    /// The value of a slot from the text of a column in JSON; `nil` for binary ones.
    fileprivate init?(jsonText text: String, _ kind: SlotKind) {
        let value: Value? =
            switch kind {
            case .integer: Int64(text).map { .int($0) }
            case .boolean: .bool(text == "true")
            case .double, .float: Double(text).map { .double($0) }
            case .date: Double(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
            case .decimal: Decimal(string: text).map { .decimal($0) }
            case .string: .string(text)
            case .uri: URL(string: text).map { .url($0) }
            case .uuid: UUID(uuidString: text).map { .uuid($0) }
            default: nil
            }
        guard let value else { return nil }
        self = value
    }
}
