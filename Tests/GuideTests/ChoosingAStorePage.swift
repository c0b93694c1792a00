import Strata
import StrataPostgreSQL
import StrataSQLite

/// The code of the guide "Choosing a store".
enum ChoosingAStorePage {
    static func options() -> StoreDescription {
        var description = StoreDescription(.sqlite(pageChecksums: true), path: "ledger.sqlite")
        description.options.timeout = 30
        return description
    }

    static func server() -> StoreDescription {
        let shared = StoreDescription.postgreSQL("postgresql://db.example.com/ledger", schema: "ledger")
        return shared
    }
}
