import Foundation
import Strata
import StrataBinary
import StrataCrashWorker
import StrataEngine
import StrataFiles
import StrataLMDB
import StrataSQLite
import StrataTestSupport
import StrataXML
import Testing

/// A small federation: each store holds one account, and every save sets all of them to the same amount.
struct Accounts {
    enum Kind: String, CaseIterable, Sendable { case sqlite, lmdb, binary, xml }

    final class Account: ManagedObject {
        static let amount = Key<Int>("amount")
    }

    static let model = Result {
        try ManagedObjectModel(
            entities: Kind.allCases.map { kind in
                Entity("Account_\(kind)", class: Account.self) { Attribute("amount", .integer64).required }
            },
            configurations: Kind.allCases.map { EntityConfiguration($0.rawValue, entities: ["Account_\($0)"]) })
    }

    let directory: String
    let kinds: [Kind]
    /// What removes the directory with the last copy of this value.
    var owner: TemporaryDirectory?
    /// The file system of pending files and of stores that are written whole.
    var files: any FileSystem = PosixFileSystem.shared
    /// Whether each store lies in a directory of its own.
    var isScattered = false
    /// How long stores wait for a lock.
    var timeout = waitLimit / .seconds(1)
    /// Reports each step of the stores that have files of their own kind.
    var step: (@Sendable (String) throws -> Void)?

    func path(_ kind: Kind) -> String { PathName.joining(directory(of: kind), "account.\(kind)") }

    private func directory(of kind: Kind) -> String { isScattered ? PathName.joining(directory, "\(kind)") : directory }

    func description(_ kind: Kind) -> StoreDescription {
        let driver: any StoreDriver =
            switch kind {
            case .sqlite: watched(StoreDescription(.sqlite).driver)
            case .lmdb: watched(StoreDescription(.lmdb).driver)
            case .binary: BinaryDriver(BinaryCodec(fileSystem: files), fileSystem: files)
            case .xml: XMLDriver(XMLCodec(fileSystem: files), fileSystem: files)
            }
        var description = StoreDescription(.sqlite, path: path(kind), configuration: kind.rawValue)
        description.driver = driver
        description.options.timeout = timeout
        return description
    }

    private func watched(_ driver: any StoreDriver) -> any StoreDriver { step.map { WatchedDriver(driver, step: $0) } ?? driver }

    /// Runs `body` with the stores open, opened in the order given.
    func open<T>(_ order: [Kind]? = nil, _ body: (ManagedObjectContext) throws -> T) throws -> T {
        try RecoveryFiles.$fileSystem.withValue(files) {
            let coordinator = PersistentStoreCoordinator(model: try Accounts.model.get())
            defer { for store in coordinator.stores { try? coordinator.remove(store) } }
            for kind in order ?? kinds { try coordinator.addStore(description(kind)) }
            return try body(ManagedObjectContext(coordinator))
        }
    }

    /// Sets all accounts in one save.
    func set(_ amount: Int, _ context: ManagedObjectContext) throws {
        for kind in kinds {
            let found = try context.fetch(ObjectFetchRequest<Account>(entityName: "Account_\(kind)")).first
            let account = try found ?? (context.insert("Account_\(kind)") as? Account)
            account?[Account.amount] = amount
        }
        try context.save()
    }

    /// The amounts of the accounts; 0 where there is none.
    func amounts(_ order: [Kind]? = nil) throws -> [Int] {
        try open(order) { context in
            try kinds.map { try context.fetch(ObjectFetchRequest<Account>(entityName: "Account_\($0)")).first?[Account.amount] ?? 0 }
        }
    }

    /// The kinds, that of the home store first: the one that commits first.
    func inOrderOfCommits() throws -> [Kind] {
        try open { context in
            guard let coordinator = context.coordinator as? PersistentStoreCoordinator else { return [] }
            return try coordinator.stores.sorted { $0.id < $1.id }.map { store in
                try #require(kinds.first { store.path == path($0) })
            }
        }
    }

    /// The names of files that a save leaves when it is interrupted.
    func leftovers() throws -> [String] {
        try Set(kinds.map { directory(of: $0) }).flatMap { try files.names(inDirectory: $0) }.filter { name in
            ["tmp", "record", "pending", "confirmed", "decided", "aborted"].contains { name.hasSuffix(".\($0)") }
        }
    }
}
