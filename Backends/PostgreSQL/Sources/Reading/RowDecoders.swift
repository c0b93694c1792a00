import StrataModel
import StrataStore
import Synchronization

/// The decoders of a store's rows, each made once.
final class RowDecoders: Sendable {
    private let known = Mutex<[Range<EntityIndex>: RowDecoder]>([:])

    /// The decoder for rows of some entities of a table.
    func decoder(_ table: EntityTable, entities: Range<EntityIndex>, _ model: ManagedObjectModel, _ schema: StoreSchema) -> RowDecoder {
        known.withLock { known in
            if let decoder = known[entities] { return decoder }
            let decoder = RowDecoder(table, entities: entities, model, schema)
            known[entities] = decoder
            return decoder
        }
    }
}
