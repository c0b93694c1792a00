import Strata
import StrataBinary
import StrataInMemory
import StrataSQLite
import StrataXML

/// The code of the pages of the stores.
enum StorePages {
    static func sqlite() -> StoreDescription {
        let description = StoreDescription(.sqlite, path: "/var/lib/app/Store.sqlite")
        return description
    }

    static func xml() -> StoreDescription {
        let description = StoreDescription(.xml, path: "/data/Library.xml")
        return description
    }

    static func binary() -> StoreDescription {
        let description = StoreDescription(.binary, path: "/data/Library.binary")
        return description
    }

    static func inMemory() -> StoreDescription {
        let description = StoreDescription(.inMemory)
        return description
    }
}
