import Foundation
import Strata
import StrataFiles
import StrataFilesTesting
import StrataLMDB
import StrataSQLite
import StrataStore
import StrataTestSupport
import Synchronization
import Testing

/// The store that commits first takes the decision back where it cannot commit: whatever fails in the midst of that, and whoever comes, must
/// not part it from the others.
@Suite("A save over several stores whose first store fails to commit")
struct FirstCommitTests {
    /// The decision was taken back by removing its file: where that failed half-way the others went on, and the first forgot the save.
    @Test(
        "is in all stores or in none, whichever call after that fails too", arguments: [Accounts.Kind.sqlite, .lmdb],
        [FaultPlan.Fault.error(5), .errorAfterEffect(5)])
    func secondFault(_ home: Accounts.Kind, _ fault: FaultPlan.Fault) throws {
        let template = try Accounts.holdingOne(home: home)
        for isSticky in [false, true] {
            var call = 1
            while try isHit(template, home, FaultPlan(failing: call, with: fault, isSticky: isSticky)) { call += 1 }
            #expect(call > 10)
        }
    }

    /// The decision was taken back although another process had finished the save meanwhile in the store that it had failed in.
    @Test(
        "is in all stores where somebody else finishes it there first", arguments: [Accounts.Kind.sqlite, .lmdb],
        ["begin", ".aborted"])
    func finishedByAnother(_ home: Accounts.Kind, _ moment: String) throws {
        let plain = try Accounts.holdingOne(home: home).copied()
        let hasFailed = Atomic(false)
        let hasCome = Atomic(false)
        /// Another one that has the store open writes to it, where nobody keeps it from that.
        @Sendable func come() {
            if hasCome.exchange(true, ordering: .relaxed) { return }
            var other = plain
            other.timeout = 0.1
            try? other.open([home]) { context in
                guard let coordinator = context.coordinator as? PersistentStoreCoordinator else { return }
                for store in coordinator.stores { try coordinator.setUserInfo(["written": .bool(true)], of: store) }
            }
        }
        var watched = plain
        watched.files = HookedFileSystem { path in if path.contains(moment) { come() } }
        watched.step = { step in
            if step == "begin \(home.type)", moment == "begin", hasFailed.load(ordering: .relaxed) { come() }
            guard step == "commit \(home.type)", !hasFailed.exchange(true, ordering: .relaxed) else { return }
            throw StoreError(.full, .save, "no room")
        }
        let isSaved = try watched.open { context in
            do { try watched.set(2, context) } catch is StoreError { return false }
            return true
        }
        let hasAnotherCome = hasCome.load(ordering: .relaxed)
        #expect(hasAnotherCome)
        let found = try plain.amounts()
        #expect(found == plain.kinds.map { _ in isSaved ? 2 : 1 } || !isSaved && Set(found) == [2], "\(found), saved \(isSaved)")
        #expect(try plain.leftovers() == [])
    }

    /// It waited for its write lock while it held those of the other stores: another process had the former and waited for the latter.
    @Test("does not wait for a process that waits for its other stores", arguments: [Accounts.Kind.sqlite, .lmdb])
    func lockOrder(_ home: Accounts.Kind) throws {
        let site = try Accounts.holdingOne(home: home).copied()
        let plain = Accounts(directory: site.directory, kinds: [.sqlite, .lmdb], owner: site.owner)
        let other: Accounts.Kind = home == .sqlite ? .lmdb : .sqlite
        let (isOpen, hasFailed, hasHome, isOver) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let isSaving = Atomic(false)
        var second = plain
        second.step = { step in
            if step == "begin \(other.type)", isSaving.load(ordering: .relaxed) { hasHome.signal() }
        }
        let failure = Mutex<(any Error)?>(nil)
        let thread = Thread { [second] in
            do {
                try second.open { context in
                    isOpen.signal()
                    hasFailed.wait()
                    isSaving.store(true, ordering: .relaxed)
                    try second.set(3, context)
                }
            } catch { failure.withLock { $0 = error } }
            hasHome.signal()
            isOver.signal()
        }
        thread.start()
        isOpen.wait()
        let failures = Atomic(0)
        var first = plain
        first.step = { step in
            if step == "begin \(home.type)", failures.load(ordering: .relaxed) == 1 {
                hasFailed.signal()
                hasHome.wait()
            }
            guard step == "commit \(home.type)", failures.add(1, ordering: .relaxed).newValue == 1 else { return }
            throw StoreError(.full, .save, "no room")
        }
        try first.open { try first.set(2, $0) }
        isOver.wait()
        // The other process changed what the save had changed meanwhile.
        let conflict = failure.withLock { $0 }
        #expect(conflict is SaveConflictError, "\(String(describing: conflict))")
        #expect(try plain.amounts() == [2, 2])
        #expect(try plain.leftovers() == [])
    }

    /// Saves while the home's commit fails, and then what a plan says; whether anything failed by the plan.
    private func isHit(_ template: Accounts, _ home: Accounts.Kind, _ plan: FaultPlan) throws -> Bool {
        let plain = try template.copied()
        let files = FaultInjectingFileSystem(base: PosixFileSystem.shared)
        let hasFailed = Atomic(false)
        var faulty = plain
        faulty.files = files
        faulty.step = { step in
            guard step == "commit \(home.type)", !hasFailed.exchange(true, ordering: .relaxed) else { return }
            files.plan = plan
            throw StoreError(.full, .save, "no room")
        }
        let (isSaved, calls) = try faulty.open { context in
            do { try faulty.set(2, context) } catch is StoreError {
                defer { files.plan = .none }
                return (false, files.callCount)
            }
            defer { files.plan = .none }
            return (true, files.callCount)
        }
        let story = "home \(home) \(plan)"
        let found = try plain.amounts()
        #expect(Set(found).count == 1, "\(story): \(found)")
        #expect(found.allSatisfy { $0 == 2 || (!isSaved && $0 == 1) }, "\(story): \(found), saved \(isSaved)")
        try plain.open { try plain.set(3, $0) }
        #expect(try plain.amounts() == plain.kinds.map { _ in 3 }, "\(story)")
        #expect(try plain.leftovers() == [], "\(story)")
        return calls >= plan.call
    }
}

extension Accounts.Kind {
    /// The store's type as steps name it.
    fileprivate var type: String { "\(self == .sqlite ? StoreDescription(.sqlite).driver.type : StoreDescription(.lmdb).driver.type)" }
}

/// The system's files, with each file that gets its name reported first.
private struct HookedFileSystem: FileSystem {
    private let base = PosixFileSystem.shared
    private let willMake: @Sendable (String) -> Void

    init(_ willMake: @escaping @Sendable (String) -> Void) { self.willMake = willMake }

    func open(_ path: String, _ mode: OpenMode) throws(FileError) -> any OpenFile {
        if case .createExclusive = mode { willMake(path) }
        return try base.open(path, mode)
    }

    func status(of path: String, followingLinks: Bool) throws(FileError) -> FileStatus {
        try base.status(of: path, followingLinks: followingLinks)
    }

    func linkDestination(of path: String) throws(FileError) -> String? { try base.linkDestination(of: path) }
    func rename(_ path: String, to destination: String) throws(FileError) {
        willMake(destination)
        try base.rename(path, to: destination)
    }
    func unlink(_ path: String) throws(FileError) { try base.unlink(path) }
    func names(inDirectory path: String) throws(FileError) -> [String] { try base.names(inDirectory: path) }
    func makeDirectory(_ path: String, permissions: UInt32) throws(FileError) { try base.makeDirectory(path, permissions: permissions) }
    func removeDirectory(_ path: String) throws(FileError) { try base.removeDirectory(path) }
    func tryLock(_ path: String, _ mode: FileLock.Mode) throws(FileError) -> FileLock? { try base.tryLock(path, mode) }
    func map(_ path: String) throws(FileError) -> MappedFile { try base.map(path) }
}
