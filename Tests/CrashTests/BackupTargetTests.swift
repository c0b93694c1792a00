import Foundation
import Strata
import StrataCoordinator
import StrataCrashWorker
import StrataFiles
import StrataPlatform
import StrataTestSupport
import Testing

/// A directory on a small disk in memory, where the process may have one.
private final class SmallDisk {
    let directory: TemporaryDirectory
    var path: String { directory.path }

    init?(_ size: Int) {
        guard let directory = try? TemporaryDirectory("strata-small") else { return nil }
        self.directory = directory
        guard unsafe mount("tmpfs", directory.path, "tmpfs", 0, "size=\(size)") == 0 else { return nil }
    }

    deinit { unmount() }

    /// Removes it from its path, as when a medium goes away; open files stay.
    func unmount() { _ = unsafe umount2(path, Int32(MNT_DETACH)) }

    func makeReadOnly() -> Bool { unsafe mount(nil, path, nil, UInt(MS_REMOUNT | MS_RDONLY), nil) == 0 }

    static let isPossible = SmallDisk(1 << 20) != nil
}

extension PersistentStoreCoordinator {
    fileprivate static func of(_ context: ManagedObjectContext) throws -> PersistentStoreCoordinator {
        try #require(context.coordinator as? PersistentStoreCoordinator)
    }
}

@Suite("A backup to another disk", .enabled(if: SmallDisk.isPossible, "the process may not mount a disk"), .timeLimit(.minutes(10)))
struct BackupDiskTests {
    private func expectUntouched(_ accounts: Accounts, _ amount: Int) throws {
        #expect(try accounts.amounts() == [amount, amount, amount, amount])
        #expect(try accounts.leftovers() == [])
    }

    @Test("is written, taken over where nothing was written, and restored")
    func otherDisk() throws {
        let (accounts, disk) = (try Accounts.holdingOne(home: .sqlite), try #require(SmallDisk(64 << 20)))
        try accounts.open { context in
            let coordinator = try PersistentStoreCoordinator.of(context)
            usleep(80_000)
            try coordinator.backUp(to: disk.path)
            let second = try coordinator.backUp(to: disk.path)
            #expect(second.stores.map(\.isUnchanged) == [true, true, true, true])
            try accounts.set(2, context)
            let third = try coordinator.backUp(to: disk.path)
            #expect(third.stores.map(\.isUnchanged) == [false, false, false, false])
            #expect(try accounts.amounts(of: third) == [2, 2, 2, 2])
            try accounts.set(3, context)
            try coordinator.restore(from: disk.path)
        }
        try expectUntouched(accounts, 2)
    }

    @Test("that has no space is refused as full, and leaves the one before")
    func smallDisk() throws {
        let (accounts, disk) = (try Accounts.holdingOne(home: .lmdb), try #require(SmallDisk(4 << 20)))
        try accounts.open { context in
            let coordinator = try PersistentStoreCoordinator.of(context)
            let first = try coordinator.backUp(to: disk.path)
            try accounts.set(2, context)
            let filler = PathName.joining(disk.path, "lost+found")
            // From no space at all to what suffices.
            for space in [0, 20_000, 80_000, 160_000, 300_000] {
                try PosixFileSystem.shared.removeIfPresent(filler)
                let free = try PosixFileSystem.shared.space(at: disk.path).available
                try Data(repeating: 1, count: max(0, free - space)).write(to: URL(filePath: filler))
                do {
                    #expect(try accounts.amounts(of: coordinator.backUp(to: disk.path)) == [2, 2, 2, 2])
                    break
                } catch let error as StoreError {
                    #expect(error.code == .full, "\(space): \(error)")
                    #expect(try StoreBackup(at: disk.path) == first)
                    try first.check()
                    let names = try FileManager.default.contentsOfDirectory(atPath: disk.path).filter { !$0.hasPrefix(".") }
                    #expect(names.sorted() == ["backup-\(first.id)", "backup.json", "lost+found"])
                }
            }
            try PosixFileSystem.shared.removeIfPresent(filler)
            try coordinator.backUp(to: disk.path)
        }
        try expectUntouched(accounts, 2)
    }

    @Test("that is read-only is refused, and the backup on it can be restored")
    func readOnlyDisk() throws {
        let (accounts, disk) = (try Accounts.holdingOne(home: .binary), try #require(SmallDisk(64 << 20)))
        try accounts.open { context in
            let coordinator = try PersistentStoreCoordinator.of(context)
            try coordinator.backUp(to: disk.path)
            try accounts.set(2, context)
            try #require(disk.makeReadOnly())
            let error = #expect(throws: StoreError.self) { try coordinator.backUp(to: disk.path) }
            #expect(error?.code == .denied)
            try coordinator.restore(from: disk.path)
        }
        try expectUntouched(accounts, 1)
    }

    @Test("fails where the disk goes away at any step, and leaves no part at its path", arguments: [true, false])
    func goesAway(isParent: Bool) throws {
        let accounts = try Accounts.holdingOne(home: .xml)
        var (step, hasFinished) = (1, false)
        while !hasFinished {
            let disk = try #require(SmallDisk(64 << 20))
            let target = isParent ? PathName.joining(disk.path, "backup") : disk.path
            try accounts.open { context in
                let coordinator = try PersistentStoreCoordinator.of(context)
                try coordinator.backUp(to: target)
                try accounts.set(step, context)
                var calls = 0
                do {
                    try coordinator.backUp(to: target) { _ in
                        calls += 1
                        if calls == step { disk.unmount() }
                    }
                    hasFinished = calls < step
                    #expect(hasFinished, "a backup is reported that is nowhere")
                } catch let error as StoreError {
                    #expect([.missing, .io].contains(error.code), "step \(step): \(error)")
                    #expect(try !StoreBackup.isBackup(at: target), "step \(step)")
                }
            }
            try expectUntouched(accounts, step)
            step += 1
        }
        #expect(step > 8)
    }
}

@Suite("A backup whose directory goes away", .timeLimit(.minutes(10)))
struct BackupDirectoryTests {
    private enum Loss: CaseIterable { case removed, moved, replaced }

    @Test("fails, leaves the stores as they are and a moved backup whole")
    func goesAway() throws {
        let accounts = try Accounts.holdingOne(home: .sqlite)
        let (target, moved) = (PathName.joining(accounts.directory, "backup"), PathName.joining(accounts.directory, "moved"))
        for loss in Loss.allCases {
            var (step, hasFinished) = (1, false)
            while !hasFinished {
                for path in [target, moved] { try PosixFileSystem.shared.removeTree(path) }
                try accounts.open { context in
                    let coordinator = try PersistentStoreCoordinator.of(context)
                    let first = try coordinator.backUp(to: target)
                    try accounts.set(step, context)
                    var calls = 0
                    do {
                        try coordinator.backUp(to: target) { _ in
                            calls += 1
                            guard calls == step else { return }
                            if loss == .removed { return try FileManager.default.removeItem(atPath: target) }
                            try FileManager.default.moveItem(atPath: target, toPath: moved)
                            if loss == .replaced {
                                try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
                            }
                        }
                        hasFinished = calls < step
                        #expect(hasFinished, "\(loss): a backup is reported that is nowhere")
                    } catch let error as StoreError {
                        #expect([.missing, .io].contains(error.code), "\(loss) \(step): \(error)")
                        #expect(try !StoreBackup.isBackup(at: target), "\(loss) \(step)")
                        if loss == .removed { return }
                        let found = try StoreBackup(at: moved)
                        #expect(found.id == first.id)
                        try found.check()
                    }
                }
                #expect(try accounts.amounts() == [step, step, step, step], "\(loss) \(step)")
                #expect(try accounts.leftovers() == [])
                step += 1
            }
            #expect(step > 8)
        }
    }
}
