import Strata
import StrataBinary
import StrataInMemory
import StrataLMDB
import StrataSQLite
import StrataWorkload
import StrataXML

/// A store that a participant keeps everything in.
protocol StoreChoice {
    static var name: String { get }
    static var grouping: ProcessGrouping { get }
    static var reference: String { get }
    static var notes: [String] { get }
    /// Whether a save rewrites the whole file: small saves would measure nothing else.
    static var rewritesFile: Bool { get }
    static func store(_ directory: String) throws -> StoreDescription
}

extension StoreChoice {
    static var rewritesFile: Bool { false }
    /// The steps of the archive that it takes part in: where a process opens the file once for several steps, none beside a writer.
    static var archiveSteps: [ArchiveStep] {
        ArchiveStep.allCases.filter { step in
            switch step {
            case .singles: !rewritesFile
            case .besideWriter: grouping != .perPhase
            default: true
            }
        }
    }
}

enum SQLiteChoice: StoreChoice {
    static let name = "Strata SQLite"
    static let grouping = ProcessGrouping.perStep
    static let reference = "raw SQLite"
    static let notes = ["Strata SQLite: Core Data's own layout, WAL, synchronous=FULL"]
    static func store(_ directory: String) -> StoreDescription { StoreDescription(.sqlite, path: directory + "/strata.sqlite") }
}

enum LMDBChoice: StoreChoice {
    static let name = "Strata LMDB"
    static let grouping = ProcessGrouping.perStep
    static let reference = "raw LMDB"
    static let notes = ["Strata LMDB: packed rows with checksums, index databases, every commit synced"]
    static func store(_ directory: String) -> StoreDescription { StoreDescription(.lmdb, path: directory + "/strata.lmdb") }
}

enum XMLChoice: StoreChoice {
    static let name = "Strata XML"
    static let grouping = ProcessGrouping.perPhase
    static let reference = "raw SQLite"
    static let notes = ["Strata XML: atomic, so a process loads the whole file once and a save rewrites it; no small saves"]
    static let rewritesFile = true
    static func store(_ directory: String) -> StoreDescription { StoreDescription(.xml, path: directory + "/strata.xml") }
}

enum BinaryChoice: StoreChoice {
    static let name = "Strata binary"
    static let grouping = ProcessGrouping.perPhase
    static let reference = "raw SQLite"
    static let notes = ["Strata binary: the file is mapped, its rows are used in place, and saves are appended"]
    static func store(_ directory: String) -> StoreDescription { StoreDescription(.binary, path: directory + "/strata.binary") }
}

enum InMemoryChoice: StoreChoice {
    static let name = "Strata in-memory"
    static let grouping = ProcessGrouping.whole
    static let reference = "raw SQLite"
    static let notes = ["Strata in-memory: nothing is kept, so there is no cold open"]
    static func store(_ directory: String) -> StoreDescription { StoreDescription(.inMemory) }
}
