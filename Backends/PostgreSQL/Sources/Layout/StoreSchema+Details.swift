import StrataModel
import StrataSQL

extension StoreSchema {
    /// The schema that holds the store.
    var name: String { details.name }
    /// The names of fetch indexes and constraints, by what the model calls them.
    var catalog: Catalog { details.catalog }
}

extension EntityTable {
    static var id: String { "_id" }
    static var entity: String { "_entity" }
    static var version: String { "_version" }

    /// The sequence that references come from.
    var sequence: QualifiedName { details.sequence }
    /// The name of the primary key.
    var key: String { details.key }
}

extension JoinTable {
    /// The name of the primary key.
    var key: String { details.key }
}
