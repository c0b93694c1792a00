/// The columns that hold the rows of some entities of a table, and the slots that these fill.
public struct RowMapping<Dialect: SQLDialect>: Sendable {
    /// A column of a result that fills a slot.
    public struct Field: Sendable {
        /// The index of the column in the result.
        public let index: Int
        /// The slot.
        public let slot: Slot
        /// The kind of the slot.
        public let kind: SlotKind
        /// Whether the value may be in a file of its own.
        public let isExternal: Bool
    }

    /// The rows of one entity.
    public struct Entity: Sendable {
        /// The entity.
        public let index: EntityIndex
        /// The layout of its rows.
        public let layout: RowLayout
        /// The columns that fill its slots.
        public let fields: [Field]
    }

    /// The columns to select of the table `t0`: `t0.id, t0.entity, t0.version, t0.name, …`.
    public let selection: SQLText<Dialect>
    /// The number of columns of a result that are a row's.
    public let width: Int
    @usableFromInline let table: EntityTable<Dialect>
    @usableFromInline let entities: [Entity]

    /// The mapping of the rows of some entities; slots whose columns the table lacks stay empty.
    public init(_ table: EntityTable<Dialect>, entities: Range<EntityIndex>, of model: ManagedObjectModel) {
        var selected = [Dialect.keyColumn, Dialect.entityColumn, Dialect.versionColumn].map { SQLText<Dialect>("\(column: $0)") }
        var resultIndexes: [Int: Int] = [:]
        self.table = table
        self.entities = entities.map { entity in
            let layout = model.entities[entity].layout
            let fields = zip(layout.indexedSlots, table.columns(of: entity)).compactMap { placed, index -> Field? in
                let column = table.columns[index]
                guard column.isPresent else { return nil }
                let resultIndex = resultIndexes[index] ?? selected.count
                if resultIndexes.updateValue(resultIndex, forKey: index) == nil { selected.append(Dialect.selected(column)) }
                return Field(index: resultIndex, slot: placed.slot, kind: column.kind, isExternal: column.isExternal)
            }
            return Entity(index: entity, layout: layout, fields: fields)
        }
        selection = SQLText("\(selected)")
        width = selected.count
    }

    /// Returns the entity of a number; `nil` where the mapping is of none that has it.
    @inlinable @inline(__always)
    public func entity(ofNumber number: Int64) -> Entity? {
        guard let first = entities.first?.index, let entity = table.entity(ofNumber: number), case let index = first.distance(to: entity),
            entities.indices.contains(index)
        else { return nil }
        return entities[index]
    }
}
