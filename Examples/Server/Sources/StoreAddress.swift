import ArgumentParser
import Strata
import StrataPostgreSQL
import StrataSQLite

/// Where the objects are stored: `sqlite:PATH` or `postgresql://HOST/DATABASE`.
enum StoreAddress: ExpressibleByArgument {
    case sqlite(path: String)
    case postgreSQL(url: String)

    init?(argument: String) {
        if argument.hasPrefix("sqlite:"), argument.count > "sqlite:".count {
            self = .sqlite(path: String(argument.dropFirst("sqlite:".count)))
        } else if argument.hasPrefix("postgresql://") {
            self = .postgreSQL(url: argument)
        } else {
            return nil
        }
    }

    /// The store, which also reports what other processes save to it.
    var store: StoreDescription {
        var store =
            switch self {
            case .sqlite(let path): StoreDescription(.sqlite, path: path)
            case .postgreSQL(let url): StoreDescription.postgreSQL(url, schema: "tracker")
            }
        store.options.postsRemoteChanges = true
        return store
    }
}
