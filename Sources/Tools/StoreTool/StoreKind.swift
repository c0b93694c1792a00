public import Strata
import StrataBinary
import StrataLMDB
import StrataPostgreSQL
import StrataSQLite
import StrataXML

/// The kinds of store, by the names that the command line has for them.
public enum StoreKind: String, CaseIterable, Sendable {
    case sqlite, lmdb, binary, xml, postgresql

    /// The driver of the kind.
    public var driver: any StoreDriver {
        switch self {
        case .sqlite: .sqlite
        case .lmdb: .lmdb
        case .binary: .binary
        case .xml: .xml
        case .postgresql: .postgreSQL
        }
    }

    /// Returns the description of a store of the kind.
    public func description(at location: StoreLocation) -> StoreDescription {
        func describe(_ driver: some StoreDriver) -> StoreDescription { StoreDescription(driver, at: location) }
        return describe(driver)
    }

    /// Returns the kind of the store at a path, by the content of the file.
    ///
    /// - Throws: `StoreError` where the file is damaged, or cannot be read; `CommandFailure` where it is no store.
    public init(ofStoreAt path: String) throws {
        for kind in [StoreKind.sqlite, .lmdb, .binary, .xml] {
            do {
                _ = try kind.driver.metadata(at: path)
                self = kind
                return
            } catch let error as StoreError where error.code == .foreign || error.code == .wrongType {
                continue
            } catch let error as StoreError where error.code == .unsupportedVersion || error.code == .corrupt {
                self = kind
                return
            }
        }
        throw CommandFailure(.data, "\(path) is no store: it is of no kind that Strata reads")
    }
}
