import StrataSQL
import Synchronization

/// What is composed once for the rows of a store: the decoders with their columns, and the statements that insert.
struct StatementCache: ~Copyable {
    private let decoders = Mutex<[Range<EntityIndex>: RowDecoder]>([:])
    /// The statements that insert rows of an entity, without the values of their parameters.
    private let insertions = Mutex<[EntityIndex: SQLText]>([:])

    func decoder(_ table: EntityTable, _ entities: Range<EntityIndex>, _ layout: StoreLayout) -> RowDecoder {
        decoders.withLock { decoders in
            if let known = decoders[entities] { return known }
            let decoder = RowDecoder(table, entities: entities, layout.model, layout.schema)
            decoders[entities] = decoder
            return decoder
        }
    }

    /// Returns the statement that inserts rows of an entity, with these values.
    func insertion(of entity: EntityIndex, _ values: [SQLParameter], _ compose: () -> SQLText) -> SQLText {
        if let known = insertions.withLock({ $0[entity] }) { return known.binding(values) }
        let statement = compose()
        insertions.withLock { $0[entity] = statement.binding([]) }
        return statement
    }
}
