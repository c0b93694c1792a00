import FoundationEssentials
import Strata
import StrataCoordinator
import StrataCrashWorker
import StrataFiles
import StrataFilesTesting
import StrataPlatform
import StrataTestRandom
import StrataXML
import Testing

@Suite("A backup or a restore in which something fails", .timeLimit(.minutes(60)))
struct BackupFaultTests {
    @Test(
        "A backup leaves the one before or replaces it, and leaves the stores as they are", arguments: [5, 28] as [Int32], [true, false])
    func backups(_ code: Int32, isChanged: Bool) throws {
        let accounts = try Accounts.holdingOne(home: .sqlite)
        let backup = PathName.joining(accounts.directory, "backup")
        if !isChanged { try accounts.open { try accounts.set(2, $0) } }
        usleep(80_000)
        try accounts.open { try $0.backUp(to: backup) }
        if isChanged { try accounts.open { try accounts.set(2, $0) } }
        var (call, isOver) = (1, false)
        while !isOver {
            let (faulty, files) = accounts.withFaults()
            let story = "call \(call) code \(code)"
            try faulty.open { context in
                files.plan = FaultPlan(
                    failing: call, with: call % 2 == 0 ? .error(code) : .errorAfterEffect(code), isSticky: call % 3 == 0)
                var isDone = true
                do { try context.backUp(to: backup) } catch let error as StoreError {
                    isDone = false
                    #expect(error.operation == .backUp || error.code == .corrupt, "\(story): \(error)")
                }
                isOver = files.callCount < call
                if isOver { #expect(isDone) }
                files.plan = .none
                let found = try StoreBackup(at: backup)
                try found.check()
                let amounts = try accounts.amounts(of: found)
                #expect(Set(amounts).count == 1, "\(story): \(amounts)")
                #expect(isDone || !isChanged ? amounts[0] == 2 : [1, 2].contains(amounts[0]), "\(story): \(amounts)")
            }
            #expect(try accounts.amounts() == [2, 2, 2, 2], "\(story)")
            #expect(try accounts.leftovers() == [], "\(story)")
            call += RunSeed.trials(7, soak: 1)
        }
        #expect(call > 30)
    }

    @Test("A converted store is not restored from a backup of the kind that it had")
    func converted() throws {
        let accounts = try Accounts.holdingOne(home: .sqlite)
        let (backup, path) = (PathName.joining(accounts.directory, "backup"), PathName.joining(accounts.directory, "new.xml"))
        try accounts.open { context in
            try context.backUp(to: backup)
            let coordinator = try context.stores
            _ = try coordinator.migrateStore(coordinator.stores[0], to: StoreDescription(.xml, path: path, configuration: "sqlite"))
            let error = #expect(throws: StoreError.self) { try context.restore(from: backup) }
            #expect(error?.code == .wrongType)
            #expect(error?.message == "the store in the backup is of type SQLite, not XML")
            try accounts.set(3, context)
        }
    }

    @Test("A restore replaces all stores or none; where it was interrupted none opens before it is repeated")
    func restores() throws {
        let original = try Accounts.holdingOne(home: .lmdb)
        let backup = PathName.joining(original.directory, "backup")
        try original.open { try $0.backUp(to: backup) }
        try original.open { try original.set(2, $0) }
        var (call, isOver, outcomes) = (1, false, Set<String>())
        while !isOver {
            let accounts = try original.copied()
            let (faulty, files) = accounts.withFaults()
            let (story, backup) = ("call \(call)", PathName.joining(accounts.directory, "backup"))
            var isDone = true
            try faulty.open { context in
                files.plan = FaultPlan(failing: call, with: call % 2 == 0 ? .error(5) : .errorAfterEffect(5), isSticky: call % 3 == 0)
                do { try context.restore(from: backup) } catch is StoreError { isDone = false }
                isOver = files.callCount < call
                files.plan = .none
            }
            if isOver { #expect(isDone) }
            do {
                let amounts = try accounts.amounts()
                // A restore that failed may have changed nothing.
                let possible = isDone ? [[1, 1, 1, 1]] : [[1, 1, 1, 1], [2, 2, 2, 2]]
                #expect(possible.contains(amounts), "\(story): \(amounts)")
                outcomes.insert("\(amounts)")
            } catch let error as StoreError {
                #expect(error.code == .inDoubt, "\(story): \(error)")
                let message = "restoring it with other stores from a backup was interrupted; restore them again from \(backup)"
                #expect(error.message == message, "\(story)")
                outcomes.insert("\(error.code)")
                let coordinator = PersistentStoreCoordinator(model: try Accounts.model.get())
                try coordinator.restore(from: backup, to: accounts.descriptions)
                #expect(try accounts.amounts() == [1, 1, 1, 1], "\(story)")
            }
            call += RunSeed.trials(5, soak: 1)
        }
        #expect(outcomes == ["[1, 1, 1, 1]", "[2, 2, 2, 2]", "inDoubt"])
    }
}

extension ManagedObjectContext {
    fileprivate var stores: PersistentStoreCoordinator {
        get throws { try #require(coordinator as? PersistentStoreCoordinator) }
    }
    fileprivate func backUp(to path: String) throws { try stores.backUp(to: path) }
    fileprivate func restore(from path: String) throws { try stores.restore(from: path) }
}

extension Accounts {
    /// The amounts in the copies of a backup.
    func amounts(of backup: StoreBackup) throws -> [Int] {
        let coordinator = PersistentStoreCoordinator(model: try Accounts.model.get())
        defer { for store in coordinator.stores { try? coordinator.remove(store) } }
        for var description in descriptions {
            description.path = try #require(backup.stores.first { $0.configuration == description.configuration }).path
            description.isReadOnly = true
            try coordinator.addStore(description)
        }
        let context = ManagedObjectContext(coordinator)
        return try kinds.map { try context.fetch(ObjectFetchRequest<Account>(entityName: "Account_\($0)")).first?[Account.amount] ?? 0 }
    }

    /// The stores, as they are opened.
    var descriptions: [StoreDescription] { kinds.map { description($0) } }
}
