import StrataFiles
import StrataFilesTesting
import StrataPlatform
import Testing

@Suite("Failing calls during a replacement")
struct FaultTests {
    static let old = sample(4_000, seed: 1)
    static let new = sample(300_000, seed: 2)
    static let codes = [ENOSPC, EIO, EINTR, EDQUOT, EROFS, EMFILE, EACCES, ENOENT, EXDEV]

    /// Fails call 1, 2, … of a replacement until it is not reached, and hands over how each attempt ended.
    private func everyCall(
        _ fault: FaultPlan.Fault, isSticky: Bool = false,
        check: (_ disk: MemoryFileSystem, _ faulty: FaultInjectingFileSystem, _ error: (any Error)?) throws -> Void
    ) throws {
        var call = 1
        while true {
            let disk = try memory(holding: Self.old)
            let faulty = FaultInjectingFileSystem(base: disk, plan: FaultPlan(failing: call, with: fault, isSticky: isSticky))
            var failure: (any Error)?
            do { try replace(with: Self.new, on: faulty) } catch { failure = error }
            let isReached = faulty.callCount >= call
            faulty.plan = .none
            try check(disk, faulty, failure)
            if !isReached { break }
            call += 1
        }
        #expect(call > 10)
    }

    @Test("A call that fails once gives a typed error or success, whole content, no other file, and a retry succeeds", arguments: codes)
    func transient(code: Int32) throws {
        try everyCall(.error(code)) { disk, faulty, error in
            let story = "\(faulty.trace)"
            if let error {
                let error = try #require(error as? FileError, "\(story)")
                #expect(error.code == code, "\(story)")
                #expect(error.path.hasPrefix("/d"), "\(story)")
                #expect(disk.file("/d/live", is: error.stateIsUnknown ? Self.new : Self.old), "\(story)")
            } else {
                #expect(disk.file("/d/live", is: Self.new), "\(story)")
            }
            // When the failing call was the clean-up itself, opening the store cleans up.
            if faulty.trace.contains(where: { $0.operation == .unlink && $0.code != nil }) {
                try AtomicReplacement.removeLeftovers(of: "/d/live", fileSystem: disk)
            }
            #expect(disk.files == ["/d/live"], "\(story)")
            try replace(with: [1], on: faulty)
            #expect(try disk.contents(of: "/d/live") == [1], "\(story)")
        }
    }

    @Test("A call that does its work and reports failure leaves whole content, no other file, and never claims the old state wrongly")
    func failureAfterEffect() throws {
        try everyCall(.errorAfterEffect(EIO)) { disk, faulty, error in
            let isOld = (error as? FileError)?.stateIsUnknown == false
            #expect(disk.file("/d/live", is: isOld ? Self.old : Self.new), "\(faulty.trace)")
            #expect(disk.files == ["/d/live"], "\(faulty.trace)")
        }
    }

    @Test("A disk that fails for good gives a typed error and leaves whole content", arguments: codes.filter { $0 != EINTR })
    func sticky(code: Int32) throws {
        try everyCall(.error(code), isSticky: true) { disk, faulty, error in
            #expect(error == nil || error is FileError)
            let isUnknown = (error as? FileError)?.stateIsUnknown == true
            let mayBeOld = error != nil, mayBeNew = error == nil || isUnknown
            let isOld = disk.file("/d/live", is: Self.old), isNew = disk.file("/d/live", is: Self.new)
            #expect(isOld && mayBeOld || isNew && mayBeNew, "\(faulty.trace)")
            try AtomicReplacement.removeLeftovers(of: "/d/live", fileSystem: disk)
            #expect(disk.files == ["/d/live"])
        }
    }

    @Test("Short writes are continued where they stopped, once or always", arguments: [1, 512, 100_000], [false, true])
    func shortWrites(limit: Int, isSticky: Bool) throws {
        // One byte at a time is slow, so that case has content enough for one write only; the others have two.
        let isSlow = limit == 1 && isSticky
        let content = sample(isSlow ? 3_000 : 300_000, seed: 3)
        for call in 1...(isSlow ? 1 : 2) {
            let disk = try memory(holding: Self.old)
            let plan = FaultPlan(failing: call, with: .shortWrite(limit), isSticky: isSticky, operations: [.write])
            let faulty = FaultInjectingFileSystem(base: disk, plan: plan)
            try replace(with: content, on: faulty)
            #expect(disk.file("/d/live", is: content))
            #expect(faulty.trace.count { $0.operation == .write } > (isSlow ? 1 : 2))
        }
    }

    @Test("A write that accepts nothing is an error, not an endless loop")
    func emptyWrite() throws {
        let disk = try memory(holding: Self.old)
        let plan = FaultPlan(failing: 1, with: .shortWrite(0), isSticky: true, operations: [.write])
        let error = #expect(throws: FileError.self) {
            try replace(with: Self.new, on: FaultInjectingFileSystem(base: disk, plan: plan))
        }
        #expect(error?.operation == .write)
        #expect(error?.code == EIO)
        #expect(disk.files == ["/d/live"])
    }

    @Test("Interrupted reads and writes are repeated")
    func interruptions() throws {
        let disk = try memory(holding: Self.old)
        let faulty = FaultInjectingFileSystem(base: disk, plan: FaultPlan(failing: 1, with: .error(EINTR), operations: [.read, .write]))
        #expect(faulty.file("/d/live", is: Self.old))
        faulty.plan = FaultPlan(failing: 1, with: .error(EINTR), operations: [.write])
        try replace(with: Self.new, on: faulty)
        #expect(disk.file("/d/live", is: Self.new))
    }

    @Test("A failed synchronization is not repeated: of the file it means the old state, of the directory an unknown one")
    func failedSynchronization() throws {
        for (operation, isUnknown) in [(FileOperation.synchronize, false), (.synchronizeDirectory, true)] {
            let disk = try memory(holding: Self.old)
            let faulty = FaultInjectingFileSystem(base: disk, plan: FaultPlan(failing: 1, with: .error(EIO), operations: [operation]))
            let error = #expect(throws: FileError.self) { try replace(with: Self.new, on: faulty) }
            #expect(error?.isSynchronizationFailure == true)
            #expect(error?.stateIsUnknown == isUnknown)
            #expect(faulty.trace.count { $0.operation == operation } == 1)
        }
    }

    @Test("A writer that swallows a failed write still gets no replacement")
    func swallowedFailure() throws {
        let disk = try memory(holding: Self.old)
        let plan = FaultPlan(failing: 1, with: .error(ENOSPC), operations: [.write])
        let faulty = FaultInjectingFileSystem(base: disk, plan: plan)
        let error = #expect(throws: FileError.self) {
            try AtomicReplacement.prepare(path: "/d/live", fileSystem: faulty) { sink in
                try? sink.write(Self.new)
                try? sink.write([1])
            }
        }
        #expect(error?.isFull == true)
        #expect(disk.files == ["/d/live"])
    }

    @Test("Every call on external data fails with a typed error and leaves no half-written file")
    func externalData() throws {
        var call = 1
        while true {
            let disk = MemoryFileSystem(directories: ["/d"])
            let faulty = FaultInjectingFileSystem(base: disk, plan: FaultPlan(failing: call, with: .error(ENOSPC)))
            let directory = ExternalDataDirectory(storePath: "/d/s", fileSystem: faulty)
            do { _ = try directory.write(sample(3_000)) } catch {
                #expect(error.isFull)
                #expect(disk.files.isEmpty, "\(faulty.trace)")
            }
            if faulty.callCount < call { break }
            call += 1
        }
        #expect(call > 8)
    }
}

@Suite("The order of calls in a replacement")
struct TraceTests {
    @Test("Nothing is written to the live name; the file is synchronized before the rename and the directory after it")
    func order() throws {
        let faulty = FaultInjectingFileSystem(base: try memory(holding: [1, 2, 3]))
        try replace(with: sample(600_000), on: faulty)
        let trace = faulty.trace
        let story = "\(trace)"

        let touching: Set<FileOperation> = [.write, .truncate, .setPermissions, .setOwner, .open, .unlink]
        #expect(!trace.contains { touching.contains($0.operation) && $0.path == "/d/live" }, "\(story)")

        let rename = try #require(trace.firstIndex { $0.operation == .rename })
        #expect(trace[rename].destination == "/d/live")
        let temporary = trace[rename].path
        #expect(temporary.hasPrefix("/d/.live."))
        #expect(temporary.hasSuffix(".tmp"))
        let synchronized = try #require(trace.firstIndex { $0.operation == .synchronize && $0.path == temporary }, "\(story)")
        let lastWrite = try #require(trace.lastIndex { $0.operation == .write }, "\(story)")
        let directory = try #require(trace.lastIndex { $0.operation == .synchronizeDirectory && $0.path == "/d" }, "\(story)")
        #expect(lastWrite < synchronized, "\(story)")
        #expect(synchronized < rename, "\(story)")
        #expect(rename < directory, "\(story)")
        #expect(directory == trace.count - 1, "\(story)")
        // The directory is open by then, so that no lack of descriptors can come between.
        #expect(directory == rename + 1, "\(story)")
    }

    @Test("A relaxed replacement synchronizes nothing")
    func relaxed() throws {
        let faulty = FaultInjectingFileSystem(base: try memory(holding: [1]))
        try replace(with: [2, 3, 4, 5], on: faulty, forcing: .nothing)
        #expect(!faulty.trace.contains { $0.operation == .synchronize || $0.operation == .synchronizeDirectory })
        #expect(try faulty.contents(of: "/d/live") == [2, 3, 4, 5])
    }
}
