public import StrataModel

/// The columns that hold the rows of some entities of a table, and the slots that these fill.
public struct RowMapping<Dialect: SQLDialect>: Sendable {
    /// A column of a result that fills a slot.
    public struct Field: Sendable {
        /// The index of the column in the result.
        public let index: Int
        /// The slot.
        public let slot: Slot
        /// The column.
        public let column: Dialect.Column
    }

    /// The columns to select behind the key, the number of the entity, and the version.
    public let columns: [Dialect.Column]
    /// The fields of each entity.
    public let fields: [[Field]]

    /// The mapping of the rows of some entities; slots whose columns the table lacks stay empty.
    public init(_ table: EntityTable<Dialect>, _ entities: Range<EntityIndex>, _ model: ManagedObjectModel) {
        var selected: [Int] = []
        var resultIndexes: [Int: Int] = [:]
        fields = entities.map { entity in
            zip(model.entities[entity].layout.indexedSlots, table.columns(of: entity)).compactMap { placed, index in
                let column = table.columns[index]
                guard column.isPresent else { return nil }
                let resultIndex = resultIndexes[index] ?? selected.count + RowMapping.ownColumns
                if resultIndexes.updateValue(resultIndex, forKey: index) == nil { selected.append(index) }
                return Field(index: resultIndex, slot: placed.slot, column: column)
            }
        }
        columns = selected.map { table.columns[$0] }
    }

    private static var ownColumns: Int { 3 }

    /// The number of columns of a result that are a row's.
    public var width: Int { columns.count + RowMapping.ownColumns }

    /// The columns to select of the table `t0`: `t0.id, t0.entity, t0.version, t0.name, …`.
    public var selection: SQLText<Dialect> {
        let own = [Dialect.keyColumn, Dialect.entityColumn, Dialect.versionColumn].map { SQLText<Dialect>("\(column: $0)") }
        return SQLText("\(own + columns.map { Dialect.selected($0) })")
    }
}
