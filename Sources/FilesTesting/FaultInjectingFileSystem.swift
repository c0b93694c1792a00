public import StrataFiles
import StrataPlatform
import Synchronization

/// Which call of a ``FaultInjectingFileSystem`` goes wrong, and how.
public struct FaultPlan: Sendable, Hashable {
    /// How a call goes wrong.
    public enum Fault: Sendable, Hashable {
        /// The call has no effect and fails with this `errno` value.
        case error(Int32)
        /// The call takes effect and then fails with this `errno` value.
        case errorAfterEffect(Int32)
        /// A write writes at most this many bytes; other calls are not affected.
        case shortWrite(Int)
    }

    /// The number of the call that goes wrong, counted from 1; 0 for none.
    public var call: Int
    /// How the planned call goes wrong.
    public var fault: Fault
    /// Whether all later calls go wrong too.
    public var isSticky: Bool
    /// How many calls in a row go wrong where not all later ones do.
    public var burst = 1
    /// The operations that are counted and can go wrong.
    public var operations: Set<FileOperation>

    /// Plans that one call goes wrong, or all from that one on.
    public init(
        failing call: Int, with fault: Fault, isSticky: Bool = false, operations: Set<FileOperation> = Set(FileOperation.allCases)
    ) {
        self.call = call
        self.fault = fault
        self.isSticky = isSticky
        self.operations = operations
    }

    /// A plan without a fault, to record calls.
    public static let none = FaultPlan(failing: 0, with: .error(EIO))
}

/// A file system that passes every call on to another, records it, and fails those that its plan names.
///
/// For tests.
public final class FaultInjectingFileSystem: FileSystem {
    /// A call that was made.
    public struct Call: Sendable, Hashable, CustomStringConvertible {
        /// Which call it was.
        public let operation: FileOperation
        /// The path, or the path that the file was opened at.
        public let path: String
        /// The destination of a rename.
        public let destination: String?
        /// The error code it failed with, by plan or by itself.
        public internal(set) var code: Int32?

        /// Operation, paths and error code on one line.
        public var description: String {
            operation.rawValue + " " + path + (destination.map { " -> " + $0 } ?? "") + (code.map { " (\($0))" } ?? "")
        }
    }

    private struct State {
        var plan: FaultPlan
        var count = 0
        var trace: [Call] = []
    }

    private let base: any FileSystem
    private let state: Mutex<State>

    /// Passes calls on to `base`, failing those that `plan` names.
    public init(base: any FileSystem, plan: FaultPlan = .none) {
        self.base = base
        state = Mutex(State(plan: plan))
    }

    /// The plan; setting one starts counting anew.
    public var plan: FaultPlan {
        get { state.withLock { $0.plan } }
        set {
            state.withLock { state in
                state.plan = newValue
                state.count = 0
            }
        }
    }

    /// How many calls the plan has counted.
    public var callCount: Int { state.withLock { $0.count } }

    /// All calls since the beginning or ``clearTrace()``, in order.
    public var trace: [Call] { state.withLock { $0.trace } }

    /// Forgets the calls recorded so far.
    public func clearTrace() {
        state.withLock { $0.trace = [] }
    }

    public func open(_ path: String, _ mode: OpenMode) throws(FileError) -> any OpenFile {
        let file = try pass(.open, path) { () throws(FileError) in try base.open(path, mode) }
        return FaultInjectingFile(base: file, fileSystem: self, isDirectory: mode == .directory)
    }

    public func status(of path: String, followingLinks: Bool) throws(FileError) -> FileStatus {
        try pass(.status, path) { () throws(FileError) in try base.status(of: path, followingLinks: followingLinks) }
    }

    public func linkDestination(of path: String) throws(FileError) -> String? {
        try pass(.readLink, path) { () throws(FileError) in try base.linkDestination(of: path) }
    }

    public func rename(_ path: String, to destination: String) throws(FileError) {
        try pass(.rename, path, destination) { () throws(FileError) in try base.rename(path, to: destination) }
    }

    public func link(_ path: String, to name: String) throws(FileError) {
        try pass(.rename, path, name) { () throws(FileError) in try base.link(path, to: name) }
    }

    public func unlink(_ path: String) throws(FileError) {
        try pass(.unlink, path) { () throws(FileError) in try base.unlink(path) }
    }

    public func names(inDirectory path: String) throws(FileError) -> [String] {
        try pass(.list, path) { () throws(FileError) in try base.names(inDirectory: path) }
    }

    public func makeDirectory(_ path: String, permissions: UInt32) throws(FileError) {
        try pass(.makeDirectory, path) { () throws(FileError) in try base.makeDirectory(path, permissions: permissions) }
    }

    public func removeDirectory(_ path: String) throws(FileError) {
        try pass(.removeDirectory, path) { () throws(FileError) in try base.removeDirectory(path) }
    }

    public func tryLock(_ path: String, _ mode: FileLock.Mode) throws(FileError) -> FileLock? {
        try pass(.lock, path) { () throws(FileError) in try base.tryLock(path, mode) }
    }

    public func map(_ path: String) throws(FileError) -> MappedFile {
        try pass(.map, path) { () throws(FileError) in try base.map(path) }
    }

    /// Records a call, and runs it or makes it fail.
    func pass<Result>(
        _ operation: FileOperation, _ path: String, _ destination: String? = nil, _ body: () throws(FileError) -> Result
    ) throws(FileError) -> Result {
        try passLimited(operation, path, destination) { (_) throws(FileError) in try body() }
    }

    /// Records a call, and runs it with a limit of bytes, or makes it fail.
    func passLimited<Result>(
        _ operation: FileOperation, _ path: String, _ destination: String? = nil, _ body: (Int) throws(FileError) -> Result
    ) throws(FileError) -> Result {
        let (index, fault) = record(operation, path, destination)
        do throws(FileError) {
            switch fault {
            case .error(let code): throw FileError(operation, path: path, code: code)
            case .errorAfterEffect(let code):
                _ = try body(.max)
                throw FileError(operation, path: path, code: code)
            case .shortWrite(let limit): return try body(limit)
            case nil: return try body(.max)
            }
        } catch {
            state.withLock { state in
                if index < state.trace.count { state.trace[index].code = error.code }
            }
            throw error
        }
    }

    private func record(_ operation: FileOperation, _ path: String, _ destination: String?) -> (index: Int, fault: FaultPlan.Fault?) {
        state.withLock { state in
            state.trace.append(Call(operation: operation, path: path, destination: destination))
            let index = state.trace.count - 1
            guard state.plan.operations.contains(operation) else { return (index, nil) }
            state.count += 1
            let isHit =
                state.plan.call > 0
                && state.count >= state.plan.call && (state.plan.isSticky || state.count - state.plan.call < state.plan.burst)
            return (index, isHit ? state.plan.fault : nil)
        }
    }
}

extension FaultInjectingFileSystem {
    /// Runs `body` once for each call of the work that it does, which it lets fail, until the work has no such call.
    ///
    /// - Parameter body: Does the work with a plan that one call goes wrong, whose number is its argument; returns whether the call was made.
    /// - Returns: The number of calls.
    public static func failingEachCall(_ body: (Int) throws -> Bool) rethrows -> Int {
        var call = 1
        while try body(call) { call += 1 }
        return call - 1
    }
}

extension MemoryFileSystem {
    /// States of the disk after a loss of power, each with its name: without what was not synchronized, with all of it, and with parts.
    public var statesAfterPowerLoss: [(disk: MemoryFileSystem, name: String)] {
        [(0.0, UInt64(0)), (1, 0), (0.3, 1), (0.5, 2), (0.7, 3), (0.5, 4)].map { fraction, seed in
            (crashClone(keepingUnsynced: fraction, seed: seed), "kept \(fraction), seed \(seed)")
        }
    }
}
