import Foundation
import Strata
import StrataCrashWorker
import StrataStore
import StrataTestSupport
import Synchronization
import Testing

@testable import StrataCoordinator

extension PreparedSaveFileTests {
    /// Recovery took any file at the path of the home for the store that decides: a decided save was forgotten in the other store.
    @Test("stay in doubt where another store is at the path of the home, and finish their save where the home is back")
    func anotherStoreAtThePathOfTheHome() throws {
        let (directory, away) = (try Directory(), try Directory())
        try interrupt(directory, isDecided: true)
        let (home, other) = try homeAndOther(directory)
        try move(home, from: directory, to: away)
        // On another machine there is a store of its own at the path.
        let coordinator = PersistentStoreCoordinator(model: try CrashModel.model.get())
        try coordinator.remove(coordinator.addStore(description(home, directory)))
        let files = try directory.names().filter { $0.hasSuffix(".pending") }
        #expect(!files.isEmpty)
        let error = #expect(throws: StoreError.self) { try coordinator.addStore(description(other, directory)) }
        #expect(error?.code == .inDoubt)
        #expect(error?.message.contains("coordinator record") == true)
        #expect(try directory.names().filter { $0.hasSuffix(".pending") } == files)
        for name in try directory.names() where name.contains(home) {
            try FileManager.default.removeItem(atPath: directory.path + "/" + name)
        }
        try move(home, from: away, to: directory)
        #expect(try amounts(directory) == [2, 2])
        #expect(try directory.names().allSatisfy { !$0.hasSuffix(".pending") && !$0.hasSuffix(".decided") })
    }

    /// A store that was moved beside another one took that for the home.
    @Test("find the home where it was, if another store is where it would be now")
    func movedBesideAnotherStore() throws {
        let (directory, moved) = (try Directory(), try Directory())
        try interrupt(directory, isDecided: true)
        let (home, other) = try homeAndOther(directory)
        try move(other, from: directory, to: moved)
        let coordinator = PersistentStoreCoordinator(model: try CrashModel.model.get())
        try coordinator.remove(coordinator.addStore(description(home, moved)))
        try coordinator.addStore(description(other, moved))
        let part: Part = other == "a.sqlite" ? .a : .b
        let tags = try ManagedObjectContext(coordinator).fetch(ObjectFetchRequest<ManagedObject>(entityName: part.tagEntity))
        #expect(try tags.map { try $0.value(forKey: "generation") as? Int } == [2])
    }

    /// Opening waited for the write lock of a process that saved again and again, and gave up.
    @Test("are left to the next save where another process keeps the write lock as the store is opened", arguments: [0, 1])
    func lockHeldWhileOpening(_ index: Int) throws {
        let directory = try Directory()
        try interrupt(directory, isDecided: true)
        let coordinator = PersistentStoreCoordinator(model: try CrashModel.model.get())
        let descriptions = try descriptions(directory).map { description in
            var description = description
            description.options.timeout = 0.2
            return description
        }
        let holder = try openStore(descriptions[index], model: coordinator.model)
        let transaction = try holder.beginWrite()
        for description in descriptions { try coordinator.addStore(description) }
        transaction.rollback()
        try holder.close()
        for store in coordinator.stores { try coordinator.setUserInfo(["written": .bool(true)], of: store) }
        #expect(try SharedFederation.count(1, ManagedObjectContext(coordinator)) == 2)
        #expect(try directory.names().allSatisfy { !$0.hasSuffix(".pending") })
    }

    /// A store that was opened while another process had the write lock was read without the interrupted save.
    @Test("are finished as soon as the store is open, where another process has the write lock meanwhile", arguments: [0, 1])
    func lockReleasedWhileOpening(_ index: Int) throws {
        let directory = try Directory()
        try interrupt(directory, isDecided: true)
        let descriptions = try descriptions(directory)
        let coordinator = PersistentStoreCoordinator(model: try CrashModel.model.get())
        let holder = try openStore(descriptions[index], model: coordinator.model)
        let held = HeldTransaction(try holder.beginWrite())
        let attempts = Atomic(0)
        for var description in descriptions {
            if description.path == descriptions[index].path {
                description.driver = WatchedDriver(description.driver) { step in
                    guard step.hasPrefix("begin "), attempts.add(1, ordering: .relaxed).newValue == 2 else { return }
                    held.transaction.rollback()
                }
            }
            try coordinator.addStore(description)
        }
        let count = attempts.load(ordering: .relaxed)
        #expect(count >= 2)
        #expect(try directory.names().allSatisfy { !$0.hasSuffix(".pending") })
        #expect(try SharedFederation.count(1, ManagedObjectContext(coordinator)) == 2)
        try holder.close()
    }

    enum Mistake: String, CaseIterable {
        case version = "was made with another version of the model"
        case order = "does not follow the last save that the store has"
        case decision = "the file that decides it belongs to another one"
        case rows = "no longer fits the store"
    }

    @Test("name what keeps a save from being finished", arguments: Mistake.allCases)
    func mistakes(_ mistake: Mistake) throws {
        let directory = try Directory()
        try interrupt(directory, isDecided: true)
        let (home, other) = try homeAndOther(directory)
        let path = directory.path + "/" + other
        let name = try #require(try PreparedSaveFileName.all(forStoreAt: path, RecoveryFiles.fileSystem).first { $0.kind == .pending })
        var save = try #require(try PreparedSaveFile.read(name, RecoveryFiles.fileSystem))
        switch mistake {
        case .version:
            save.changes = [1, 2, 3]
            try save.write(.pending, besideStoreAt: path, RecoveryFiles.fileSystem)
        case .order:
            save.previousID = "another"
            try save.write(.pending, besideStoreAt: path, RecoveryFiles.fileSystem)
        case .decision: try save.write(.decided, besideStoreAt: directory.path + "/" + home, RecoveryFiles.fileSystem)
        case .rows: try change(other == "a.sqlite" ? .a : .b, of: description(other, directory))
        }
        let error = #expect(throws: StoreError.self) {
            try PersistentStoreCoordinator(model: CrashModel.model.get()).addStore(description(other, directory))
        }
        #expect(
            error?.message
                == "the two-phase commit of a save over several stores was interrupted, and \(mistake.rawValue);"
                + " PersistentStoreCoordinator.resolveInterruptedSaves(of:by:) puts it aside")
    }

    // MARK: -

    /// The names of the store that decided the interrupted save, which has it, and of the other one.
    private func homeAndOther(_ directory: Directory) throws -> (home: String, other: String) {
        try amountsAsTheyAre(directory)[0] == 2 ? ("a.sqlite", "b.lmdb") : ("b.lmdb", "a.sqlite")
    }

    private func description(_ name: String, _ directory: Directory) throws -> StoreDescription {
        try #require(try descriptions(directory).first { $0.path?.hasSuffix(name) == true })
    }

    /// Moves a store with the files beside it.
    private func move(_ name: String, from directory: Directory, to other: Directory) throws {
        for file in try directory.names() where file.contains(name) {
            try FileManager.default.moveItem(atPath: directory.path + "/" + file, toPath: other.path + "/" + file)
        }
    }
}

// Unchecked: the thread of its test alone uses it.
private final class HeldTransaction: @unchecked Sendable {
    let transaction: any StoreTransaction
    init(_ transaction: any StoreTransaction) { self.transaction = transaction }
}
