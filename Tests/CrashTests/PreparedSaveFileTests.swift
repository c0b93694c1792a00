import Foundation
import Strata
import StrataCrashWorker
import StrataFiles
import StrataFilesTesting
import StrataModel
import StrataPlatform
import StrataStore
import StrataTestSupport
import StrataXML
import Synchronization
import Testing

@testable import StrataCoordinator

@Suite("The files of an interrupted save", .timeLimit(.minutes(60)))
struct PreparedSaveFileTests {
    /// A name of 210 bytes and more made the file's own name too long, and every save over several stores in doubt.
    @Test("fit beside stores with long names, and finish their saves", arguments: [150, 154, 155, 209, 210, 240])
    func longNames(_ length: Int) throws {
        for isDecided in [true, false] {
            let directory = try Directory()
            let name = String(repeating: "ä", count: (length - 6) / 2) + String(repeating: "x", count: length % 2)
            let names = [name + ".sqlit", name + ".lmdbx"]
            try interrupt(directory, names, isDecided: isDecided)
            let files = try directory.names()
            #expect(files.allSatisfy { $0.utf8.count <= 255 })
            #expect(files.contains { $0.hasSuffix(".pending") })
            #expect(try amounts(directory, names) == (isDecided ? [2, 2] : [1, 1]), "\(length)")
            #expect(try directory.names().allSatisfy { !$0.hasSuffix(".pending") && !$0.hasSuffix(".tmp") && !$0.hasSuffix(".decided") })
        }
    }

    /// A path of a working directory that is not UTF-8 fitted no string: saves over several stores were in doubt.
    @Test("locate the other stores from a directory that is not UTF-8, and after it was renamed", arguments: [CrashMode.trio, .scattered])
    func directoryThatIsNotUTF8(_ mode: CrashMode) throws {
        let site = try CrashSite(.trio)
        let directory = site.directory + "/%FF"
        if mode == .scattered {
            // The worker makes its own directory only.
            let maker = try Worker(["trio", directory, "0", "save", "1"])
            try maker.waitForEnd()
            for part in ["one", "two", "three"] { #expect(mkdir(bytes(site.directory + "/", 0xFF, "/" + part), 0o777) == 0) }
        }
        func run(_ arguments: [String]) throws -> [String] {
            let worker = try Worker([mode.rawValue, directory] + arguments)
            try worker.waitForEnd()
            return worker.lines
        }
        let steps = try run(["0", "save", "\(Int.max)"])
        #expect(steps.contains("saved 3"), "\(steps.suffix(3))")
        let decision = try #require(
            steps.filter { $0.hasPrefix("passed ") }.lastIndex { $0.hasSuffix(".pending") && $0.contains("rename") })
        _ = try run(["0", "save", "\(decision + 2)"])
        #expect(try run(["1", "verify"]).last == "verified 6")
        _ = try run(["0", "save", "\(decision + 2)"])
        let moved = site.directory + "/moved"
        #expect(rename(bytes(site.directory + "/", 0xFF, ""), moved) == 0)
        let worker = try Worker([mode.rawValue, moved, "2", "verify"])
        try worker.waitForEnd()
        #expect(["verified 8", "verified 9"].contains(worker.lines.last))
    }

    /// What a file said of itself, paths included, was believed: it made files be removed anywhere.
    @Test("do nothing to stores whose save it is not")
    func crafted() throws {
        let (victim, other) = (try Directory(), try Directory())
        try interrupt(victim, isDecided: true)
        try interrupt(other, isDecided: true)
        let files = PosixFileSystem.shared
        let saves =
            try PreparedSaveFileName.all(forStoreAt: victim.path + "/a.sqlite", files)
            + PreparedSaveFileName.all(forStoreAt: victim.path + "/b.lmdb", files)
        let home = try #require(try saves.compactMap { try PreparedSaveFile.read($0, files) }.first(where: \.isCoordinatorRecord))
        // The decision that others wait for, and the revocation of one, are what somebody else's file could make go.
        let path = try #require(home.storePath.usable)
        try home.write(.decided, besideStoreAt: path, files)
        let untouched = try victim.contents()
        for path in [other.path + "/a.sqlite", other.path + "/b.lmdb"] {
            guard let name = try PreparedSaveFileName.all(forStoreAt: path, files).first(where: { $0.kind == .pending }) else { continue }
            let own = try #require(try PreparedSaveFile.read(name, files))
            for id in [own.id, home.id] {
                for stores in [[], [home.storePath], home.otherPaths] {
                    var save = PreparedSaveFile(
                        id: id, storeID: own.storeID, decidingStoreID: home.decidingStoreID, storePath: own.storePath,
                        decidingPath: home.decidingPath,
                        otherPaths: stores, changes: own.changes)
                    for kind in [PreparedSaveFileName.Kind.pending, .decided, .aborted] {
                        try save.write(kind, besideStoreAt: path, files)
                        _ = try? amounts(other)
                        save.decidingStoreID = kind == .decided ? own.storeID : home.decidingStoreID
                    }
                    // Under the name of another save nothing of it counts.
                    try save.write(.pending, besideStoreAt: path, files)
                    try files.rename(
                        PreparedSaveFileName(forStoreAt: path, id: id, .pending).path,
                        to: PreparedSaveFileName(forStoreAt: path, id: UUID().uuidString, .pending).path)
                    #expect(throws: StoreError.self) { try amounts(other) }
                    #expect(try victim.contents() == untouched)
                    for left in try PreparedSaveFileName.all(forStoreAt: path, files) { try files.unlink(left.path) }
                }
            }
        }
        #expect(try amounts(victim) == [2, 2])
    }

    @Test("that can be neither finished nor forgotten can be put aside", arguments: [InterruptedSaveResolution.apply, .forget])
    func resolution(_ resolution: InterruptedSaveResolution) throws {
        let directory = try Directory()
        try interrupt(directory, isDecided: true)
        let home = try #require(
            try directory.names().filter { $0.hasSuffix(".pending") }.first { name in
                // The home committed before the kill: it has the amount already.
                name.contains("sqlite") == (try amountsAsTheyAre(directory)[0] == 2)
            })
        let homeStore = home.contains("sqlite") ? "a.sqlite" : "b.lmdb"
        let otherStore = home.contains("sqlite") ? "b.lmdb" : "a.sqlite"
        for name in try directory.names() where name.contains(homeStore) {
            try FileManager.default.moveItem(atPath: directory.path + "/" + name, toPath: directory.path + "/gone-" + name)
        }
        let description = try #require(try descriptions(directory).first { $0.path?.hasSuffix(otherStore) == true })
        let part: Part = otherStore == "a.sqlite" ? .a : .b
        try change(part, of: description)
        let coordinator = PersistentStoreCoordinator(model: try CrashModel.model.get())
        do {
            try coordinator.addStore(description)
            Issue.record("the store opens")
        } catch let error as StoreError {
            #expect(error.code == .inDoubt)
            let message =
                "the two-phase commit of a save over several stores was interrupted, and can be neither finished nor forgotten without the"
                + " coordinator record of the store … at …; PersistentStoreCoordinator.resolveInterruptedSaves(of:by:) puts it aside"
            #expect(masked(error.message, message) == message)
        }
        let resolved = try coordinator.resolveInterruptedSaves(of: description, by: resolution)
        #expect(resolved.count == 1)
        #expect(resolved.allSatisfy { $0.setAsidePath.map(FileManager.default.fileExists) == true })
        #expect(try coordinator.resolveInterruptedSaves(of: description, by: resolution) == [])
        try coordinator.addStore(description)
        let tags = try ManagedObjectContext(coordinator).fetch(ObjectFetchRequest<ManagedObject>(entityName: part.tagEntity))
        #expect(try tags.map { try $0.value(forKey: "generation") as? Int } == [resolution == .apply ? 2 : 7])
    }

    /// Another program, which knows nothing of saves over several stores, changes what the save was to change.
    func change(_ part: Part, of description: StoreDescription) throws {
        let model = try CrashModel.model.get()
        let store = try openStore(description, model: model)
        defer { try? store.close() }
        let entity = try #require(model.entity(named: part.tagEntity))
        let slot = try #require(entity.attribute(named: "generation")?.slot)
        guard case .rows(let rows, _) = try store.answer(FetchPlan(entity)), let row = rows.first else {
            Issue.record("no row to change")
            return
        }
        var writer = RowWriter()
        writer.begin(entity, reference: row.reference, version: row.version + 1)
        for (other, description) in entity.layout.indexedSlots where other != slot { writer.copy(other, description.kind, from: row) }
        writer.set(.int(7), at: slot, .integer)
        var changes = ChangeSet()
        changes.updated = [RowUpdate(row: writer.finish(), changedSlots: [slot])]
        let transaction = try store.beginWrite()
        #expect(try transaction.apply(changes).isEmpty)
        try transaction.prepare()
        try transaction.commit()
    }

    /// A store remembers the last saves only: the files of one before them, which a backup brought back, were applied once more, and undid
    /// in an XML store what was saved since.
    @Test("that are longer than any save are damaged ones")
    func tooLong() throws {
        let directory = try Directory()
        try interrupt(directory, isDecided: true)
        #expect(try amounts(directory) == [2, 2])
        let path = PreparedSaveFileName(forStoreAt: directory.path + "/a.sqlite", id: UUID().uuidString, .pending).path
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        #expect(truncate(path, 5 << 30) == 0)
        let error = #expect(throws: StoreError.self) { try amounts(directory) }
        #expect(error?.code == .inDoubt)
        #expect(
            error?.message
                == "the two-phase commit of a save over several stores was interrupted, and the file that finishes it is damaged;"
                + " PersistentStoreCoordinator.resolveInterruptedSaves(of:by:) puts it aside")
        let description = try #require(try descriptions(directory).first { $0.path?.hasSuffix("a.sqlite") == true })
        let coordinator = PersistentStoreCoordinator(model: try CrashModel.model.get())
        #expect(try coordinator.resolveInterruptedSaves(of: description, by: .forget).count == 1)
        #expect(try amounts(directory) == [2, 2])
    }

    /// They stayed for ever, with the values in them.
    @Test("go with their store, and leave to the others what these have to know", arguments: [true, false], [true, false])
    func goneStore(_ isHome: Bool, isReplaced: Bool) throws {
        let directory = try Directory()
        try interrupt(directory, isDecided: true)
        // The home committed before the kill.
        let isSQLiteHome = try amountsAsTheyAre(directory)[0] == 2
        let description = try #require(try descriptions(directory).first { $0.path?.hasSuffix("a.sqlite") == (isSQLiteHome == isHome) })
        let path = try #require(description.path)
        let coordinator = PersistentStoreCoordinator(model: try CrashModel.model.get())
        if isReplaced {
            var other = description
            other.path = path + ".other"
            try coordinator.remove(coordinator.addStore(other))
            try coordinator.replaceStore(at: path, withStoreAt: path + ".other", description.driver)
        } else {
            try coordinator.destroyStore(at: path, description.driver)
            try coordinator.remove(coordinator.addStore(description))
        }
        let left = try PreparedSaveFileName.all(forStoreAt: path, PosixFileSystem.shared)
        #expect(left.map(\.kind) == (isHome ? [.decided] : []))
        #expect(try left.allSatisfy { try PreparedSaveFile.read($0, PosixFileSystem.shared)?.changes == [] })
        // The other store has the save, or gets it now.
        for description in try descriptions(directory) { try coordinator.addStore(description) }
        let generations = try [Part.a, .b].map { part in
            try ManagedObjectContext(coordinator).fetch(ObjectFetchRequest<ManagedObject>(entityName: part.tagEntity))
                .map { try $0.value(forKey: "generation") as? Int }
        }
        #expect(generations == (isSQLiteHome == isHome ? [[], [2]] : [[2], []]))
        for store in coordinator.stores { try coordinator.remove(store) }
        // Each of them hears of what the other did.
        try coordinator.remove(coordinator.addStore(description))
        #expect(try directory.names().allSatisfy { !$0.hasSuffix(".pending") && !$0.hasSuffix(".decided") && !$0.hasSuffix(".tmp") })
    }

    // MARK: -

    private func bytes(_ head: String, _ byte: UInt8, _ tail: String) -> [CChar] {
        (Array(head.utf8) + [byte] + Array(tail.utf8) + [0]).map { CChar(bitPattern: $0) }
    }

    final class Directory: Sendable {
        let path = FileManager.default.temporaryDirectory.path + "/strata-pending-\(UUID().uuidString)"
        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

        /// The files of saves, and what is in them.
        func contents() throws -> [String: Data] {
            var contents: [String: Data] = [:]
            for name in try names() where !name.contains("lock") && !name.hasSuffix("-shm") {
                contents[name] = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
            }
            return contents
        }
    }

    func descriptions(_ directory: Directory, _ names: [String] = ["a.sqlite", "b.lmdb"]) throws -> [StoreDescription] {
        zip(SharedFederation.descriptions(in: directory.path), names).map { description, name in
            var description = description
            description.path = directory.path + "/" + name
            // The commits of the stores are counted: one with a history commits as it is opened first.
            description.options.history = nil
            if name.hasSuffix(".xml") { description.driver = .xml }
            return description
        }
    }

    func amounts(_ directory: Directory, _ names: [String] = ["a.sqlite", "b.lmdb"]) throws -> [Int] {
        try [descriptions(directory, names), descriptions(directory, names).reversed()].map { descriptions in
            let coordinator = PersistentStoreCoordinator(model: try CrashModel.model.get())
            defer { for store in coordinator.stores { try? coordinator.remove(store) } }
            for description in descriptions { try coordinator.addStore(description) }
            return try SharedFederation.count(1, ManagedObjectContext(coordinator))
        }
    }

    /// Each store's amount, opened for reading: nothing is finished.
    func amountsAsTheyAre(_ directory: Directory) throws -> [Int] {
        try zip(descriptions(directory), [Part.a, .b]).map { description, part in
            var description = description
            description.isReadOnly = true
            let coordinator = PersistentStoreCoordinator(model: try CrashModel.model.get())
            let store = try coordinator.addStore(description)
            defer { try? coordinator.remove(store) }
            let tag = try ManagedObjectContext(coordinator).fetch(ObjectFetchRequest<ManagedObject>(entityName: part.tagEntity)).first
            return try tag?.value(forKey: "generation") as? Int ?? 0
        }
    }

    /// Saves once, and leaves a second save as a kill does between the first commit and the second, or right before the decision.
    func interrupt(
        _ directory: Directory, _ names: [String] = ["a.sqlite", "b.lmdb"], isDecided: Bool,
        saving save: (Int, ManagedObjectContext) throws -> Void = { try SharedFederation.save(1, $0, $1) }
    ) throws {
        let copy = directory.path + ".copy"
        let commits = Atomic<Int>(0)
        let files = FaultInjectingFileSystem(base: PosixFileSystem.shared)
        try RecoveryFiles.$fileSystem.withValue(files) {
            let coordinator = PersistentStoreCoordinator(model: try CrashModel.model.get())
            for var description in try descriptions(directory, names) {
                description.driver = WatchedDriver(description.driver) { step in
                    guard step.hasPrefix("commit ") else { return }
                    // The first save commits twice too.
                    guard commits.add(1, ordering: .relaxed).newValue == 4, isDecided else { return }
                    try FileManager.default.copyItem(atPath: directory.path, toPath: copy)
                }
                try coordinator.addStore(description)
            }
            let context = ManagedObjectContext(coordinator)
            try save(1, context)
            if isDecided {
                try save(2, context)
            } else {
                // The record is not renamed, and what was written stays.
                files.plan = FaultPlan(failing: 3, with: .error(5), isSticky: true, operations: [.rename, .unlink])
                #expect(throws: StoreError.self) { try save(2, context) }
            }
            for store in coordinator.stores { try coordinator.remove(store) }
        }
        guard isDecided else { return }
        try FileManager.default.removeItem(atPath: directory.path)
        try FileManager.default.moveItem(atPath: copy, toPath: directory.path)
    }
}
