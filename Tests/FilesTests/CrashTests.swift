import StrataFiles
import StrataFilesTesting
import StrataPlatform
import Testing

@Suite("Power loss during a replacement")
struct ReplacementCrashTests {
    static let old = sample(5_000, seed: 1)
    static let new = sample(300_000, seed: 2)

    /// Runs `work` with everything failing from call `k` on, for every k until it runs through, and hands over what power losses leave.
    private func everyCrash(
        of work: (any FileSystem) throws -> Void, check: (_ disk: MemoryFileSystem, _ isAcknowledged: Bool, _ moment: String) throws -> Void
    ) throws -> Int {
        var call = 1
        while true {
            let disk = try memory(holding: Self.old)
            let faulty = FaultInjectingFileSystem(base: disk, plan: FaultPlan(failing: call, with: .error(EIO), isSticky: true))
            let isAcknowledged = (try? work(faulty)) != nil
            for (fraction, seed) in [(0, 0), (1, 0)] + (1...12).map({ ([0.2, 0.5, 0.8][$0 % 3], $0) }) {
                let survivor = disk.crashClone(keepingUnsynced: fraction, seed: UInt64(seed))
                try check(survivor, isAcknowledged, "call \(call), kept \(fraction), seed \(seed)")
            }
            if faulty.callCount < call { return call }
            call += 1
        }
    }

    @Test("At every call the file holds its old or its new content whole, and once commit has returned the new")
    func everyPoint() throws {
        let calls = try everyCrash(of: { try replace(with: Self.new, on: $0) }) { disk, isAcknowledged, moment in
            let isNew = disk.file("/d/live", is: Self.new), isOld = disk.file("/d/live", is: Self.old)
            #expect(isNew || isOld && !isAcknowledged, "\(moment)")
            try AtomicReplacement.removeLeftovers(of: "/d/live", fileSystem: disk)
            #expect(disk.files == ["/d/live"], "\(moment)")
            try replace(with: [7], on: disk)
            #expect(try disk.contents(of: "/d/live") == [7], "\(moment)")
        }
        #expect(calls > 10)
    }

    @Test("A file that did not exist is missing or whole, and once commit has returned whole")
    func firstSave() throws {
        _ = try everyCrash(of: {
            try AtomicReplacement.prepare(path: "/d/first", fileSystem: $0) { try $0.write(Self.new) }.commit()
        }) { disk, isAcknowledged, moment in
            let isWhole = disk.file("/d/first", is: Self.new)
            #expect(isWhole || !disk.exists("/d/first") && !isAcknowledged, "\(moment)")
        }
    }

    @Test("The model does lose and tear: a relaxed replacement and writing in place are both caught")
    func modelFindsCarelessWriters() throws {
        var torn = 0, lost = 0
        func look(_ disk: MemoryFileSystem, _ isAcknowledged: Bool, _ moment: String) throws {
            let isOld = disk.file("/d/live", is: Self.old)
            if !isOld && !disk.file("/d/live", is: Self.new) { torn += 1 }
            if isOld && isAcknowledged { lost += 1 }
        }
        _ = try everyCrash(of: { try replace(with: Self.new, on: $0, forcing: .nothing) }, check: look)
        #expect(torn > 0)
        #expect(lost > 0)
        (torn, lost) = (0, 0)
        _ = try everyCrash(of: { try $0.put(Self.new, at: "/d/live") }, check: look)
        #expect(torn > 0)
        #expect(lost == 0)
    }

    /// Relaxed stores replaced their files without synchronizing them at all: a loss of power could leave them torn, not only old.
    @Test("An ordered replacement may be lost by a loss of power, but is never torn")
    func orderedReplacement() throws {
        var lost = 0
        _ = try everyCrash(of: { try replace(with: Self.new, on: $0, forcing: .content) }) { disk, isAcknowledged, moment in
            let isOld = disk.file("/d/live", is: Self.old)
            #expect(isOld || disk.file("/d/live", is: Self.new), "\(moment)")
            if isOld && isAcknowledged { lost += 1 }
        }
        #expect(lost > 0)
    }

    @Test("An acknowledged external value survives every power loss, its new directories included")
    func externalData() throws {
        var names: [String] = []
        let calls = try everyCrash(of: {
            names = []
            let directory = ExternalDataDirectory(storePath: "/d/live", fileSystem: $0)
            for seed in 0..<2 { names.append(try directory.write(sample(2_000, seed: seed))) }
        }) { disk, _, moment in
            let directory = ExternalDataDirectory(storePath: "/d/live", fileSystem: disk)
            for (seed, name) in names.enumerated() {
                #expect(disk.file(directory.path + "/" + name, is: sample(2_000, seed: seed)), "\(moment)")
            }
        }
        #expect(calls > 10)
    }

    @Test("A directory that an ended process made but did not force to disk is forced there by the next write")
    func externalDirectoryLeftUnsynchronized() throws {
        let disk = MemoryFileSystem(directories: ["/d"])
        let directory = ExternalDataDirectory(storePath: "/d/s", fileSystem: disk)
        try disk.makeDirectories(directory.path, forcing: .nothing)
        let name = try directory.write([1, 2])
        #expect(disk.crashClone().file(directory.path + "/" + name, is: [1, 2]))
    }
}
