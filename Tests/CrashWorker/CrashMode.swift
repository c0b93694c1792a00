package import Strata
import StrataBinary
import StrataFiles
import StrataLMDB
import StrataSQLite
import StrataXML

/// The stores that the graph is kept in: one durable store of each kind, or three at once.
package enum CrashMode: String, CaseIterable, Sendable {
    case sqlite, xml, binary, lmdb
    /// SQLite, LMDB and binary, side by side.
    case trio
    /// XML, SQLite and LMDB, under one name in three directories.
    case scattered

    package static let externalStorageThreshold = 1024

    package var isFederated: Bool { self == .trio || self == .scattered }

    /// Whether the stores have a history, which has each save that they have.
    package var keepsHistory: Bool { isFederated || self == .sqlite || self == .binary }

    private var kinds: [(driver: any StoreDriver, path: String)] {
        switch self {
        case .sqlite: [(.sqlite, "graph.sqlite")]
        case .xml: [(.xml, "graph.xml")]
        case .binary: [(.binary, "graph.binary")]
        case .lmdb: [(.lmdb, "graph.lmdb")]
        case .trio: [(.sqlite, "graph.sqlite"), (.lmdb, "graph.lmdb"), (.binary, "graph.binary")]
        case .scattered: [(.xml, "one/graph.store"), (.sqlite, "two/graph.store"), (.lmdb, "three/graph.store")]
        }
    }

    /// The paths of the stores, relative to the directory.
    package var paths: [String] { kinds.map(\.path) }

    /// The directories that the stores lie in.
    package func directories(in directory: String) -> [String] {
        Set(kinds.map { PathName.parent(of: PathName.joining(directory, $0.path)) }).sorted()
    }

    /// The stores, in the order of a number: each number below 6 gives another order of three stores.
    package func descriptions(in directory: String, order: Int = 0) -> [StoreDescription] {
        var rest = zip(kinds, Part.allCases).map { kind, part in
            var description = StoreDescription(.sqlite, path: PathName.joining(directory, kind.path))
            description.driver = kind.driver
            description.configuration = isFederated ? part.rawValue : nil
            description.options.externalStorageThreshold = CrashMode.externalStorageThreshold
            if keepsHistory { description.options.history = .unlimited }
            return description
        }
        var ordered: [StoreDescription] = []
        var number = order
        while !rest.isEmpty {
            ordered.append(rest.remove(at: number % rest.count))
            number /= rest.count + 1
        }
        return ordered
    }

    package static let orders = 0..<6
}
