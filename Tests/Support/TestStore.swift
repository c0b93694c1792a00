package import Strata
import StrataBinary
import StrataInMemory
import StrataLMDB
import StrataSQLite
import StrataXML

/// The five stores, for tests that run over all of them.
package enum TestStore: String, Sendable, CaseIterable, CustomStringConvertible {
    case inMemory, binary, xml, sqlite, lmdb

    package var description: String { rawValue }

    /// The stores that keep their objects in files.
    package static let durable: [TestStore] = [.binary, .xml, .sqlite, .lmdb]

    /// Whether a store is still there after it was closed.
    package var isPersistent: Bool { self != .inMemory }

    /// Whether several coordinators may have a store open and write in turn.
    package var allowsSeveralCoordinators: Bool { self == .sqlite || self == .lmdb }

    /// The description of a store with a name in a directory.
    package func description(
        in directory: String,
        name: String = "store",
        configuration: String? = nil,
        isReadOnly: Bool = false
    ) -> StoreDescription {
        var description = description(path: "\(directory)/\(name).\(rawValue)", configuration, isReadOnly)
        description.options.timeout = waitLimit / .seconds(1)
        return description
    }

    private func description(path: String, _ configuration: String?, _ isReadOnly: Bool) -> StoreDescription {
        switch self {
        case .inMemory: StoreDescription(.inMemory, configuration: configuration, isReadOnly: isReadOnly)
        case .binary: StoreDescription(.binary, path: path, configuration: configuration, isReadOnly: isReadOnly)
        case .xml: StoreDescription(.xml, path: path, configuration: configuration, isReadOnly: isReadOnly)
        case .sqlite: StoreDescription(.sqlite, path: path, configuration: configuration, isReadOnly: isReadOnly)
        case .lmdb: StoreDescription(.lmdb, path: path, configuration: configuration, isReadOnly: isReadOnly)
        }
    }
}
