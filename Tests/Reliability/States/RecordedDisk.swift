import StrataPlatform

/// A disk that events are played back to, which knows what a loss of power may leave of them.
///
/// What was written to a file is certain once that file was synchronized; an entry of a directory once that directory was.
struct RecordedDisk {
    /// What became of a file since it was synchronized.
    private enum Change {
        case write(offset: Int, bytes: [UInt8])
        case resize(Int)
        case grow(Int)
    }

    private struct File {
        var durable: [UInt8] = []
        var pending: [Change] = []
    }

    private enum Entry {
        case set(String, Int)
        case remove(String)
        case move(String, String)

        /// The directories whose synchronizing makes it certain.
        var parents: [String] {
            switch self {
            case .set(let path, _), .remove(let path): [RecordedDisk.parent(path)]
            case .move(let from, let to): [RecordedDisk.parent(from), RecordedDisk.parent(to)]
            }
        }

        func apply(to names: inout [String: Int]) {
            switch self {
            case .set(let path, let file): names[path] = file
            case .remove(let path): names[path] = nil
            case .move(let from, let to): if let file = names.removeValue(forKey: from) { names[to] = file }
            }
        }
    }

    private enum Target {
        case file(Int, isSynchronous: Bool)
        case directory(String)
    }

    private var files: [File] = []
    private var live: [String: Int] = [:]
    private var durable: [String: Int] = [:]
    private var pendingEntries: [Entry] = []
    private var descriptors: [Int32: Target] = [:]
    /// Directories whose own entry is not certain yet.
    private var uncertainDirectories: Set<String> = []
    /// Files of a memory that processes share, which no loss of power leaves behind.
    private static func isShared(_ path: String) -> Bool { path.hasSuffix("-shm") || path.hasSuffix("-lock") }
    private static func parent(_ path: String) -> String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "" }

    /// Plays an event.
    mutating func play(_ event: Recording.Event) {
        switch event {
        case .open(let descriptor, let path, let flags, let isNew): open(descriptor, path, flags, isNew)
        case .close(let descriptor): descriptors[descriptor] = nil
        case .write(let descriptor, let offset, let bytes): change(descriptor, .write(offset: offset, bytes: bytes))
        case .resize(let descriptor, let size): change(descriptor, .resize(size))
        case .grow(let descriptor, let size): change(descriptor, .grow(size))
        case .synchronize(let descriptor): synchronize(descriptor)
        case .rename(let from, let to): note(.move(from, to))
        case .link(let from, let to): if let file = live[from] { note(.set(to, file)) }
        case .unlink(let path): note(.remove(path))
        case .makeDirectory(let path): uncertainDirectories.insert(path)
        case .removeDirectory(let path): uncertainDirectories.remove(path)
        case .mapForWriting, .mark: break
        }
    }

    private mutating func open(_ descriptor: Int32, _ path: String, _ flags: Int32, _ isNew: Bool) {
        if isNew {
            files.append(File())
            note(.set(path, files.count - 1))
        }
        guard let file = live[path] else { return descriptors[descriptor] = .directory(path) }
        descriptors[descriptor] = .file(file, isSynchronous: flags & O_DSYNC != 0)
        if flags & O_TRUNC != 0 { files[file].pending.append(.resize(0)) }
    }

    private mutating func note(_ entry: Entry) {
        entry.apply(to: &live)
        pendingEntries.append(entry)
    }

    private mutating func change(_ descriptor: Int32, _ change: Change) {
        guard case .file(let file, let isSynchronous) = descriptors[descriptor] else { return }
        if isSynchronous { RecordedDisk.apply(change, to: &files[file].durable) } else { files[file].pending.append(change) }
    }

    private mutating func synchronize(_ descriptor: Int32) {
        switch descriptors[descriptor] {
        case .file(let file, _):
            for change in files[file].pending { RecordedDisk.apply(change, to: &files[file].durable) }
            files[file].pending = []
        case .directory(let path):
            var rest: [Entry] = []
            for entry in pendingEntries {
                if entry.parents.contains(path) { entry.apply(to: &durable) } else { rest.append(entry) }
            }
            pendingEntries = rest
            uncertainDirectories = uncertainDirectories.filter { RecordedDisk.parent($0) != path }
        case nil: break
        }
    }

    // MARK: - What is left

    /// How much of what is not certain a loss of power leaves.
    enum Loss: CaseIterable, Sendable {
        /// All of it, or nothing.
        case nothing, everything
        /// All but a part of the last write, which ends at a multiple of 512.
        case torn
        /// Any blocks of 4096 bytes of any writes.
        case some
    }

    /// The files that are there after a loss of power, by their paths.
    func image(contents: Loss, entries: Loss, _ random: inout some RandomNumberGenerator) -> [String: [UInt8]] {
        var names = entries == .nothing ? live : durable
        if entries == .some {
            for entry in pendingEntries.prefix(Int.random(in: 0...pendingEntries.count, using: &random)) { entry.apply(to: &names) }
        }
        var image: [String: [UInt8]] = [:]
        for (path, file) in names.sorted(by: { $0.key < $1.key }) where !RecordedDisk.isShared(path) {
            let isUnreachable = uncertainDirectories.contains { path.hasPrefix($0 + "/") }
            if entries == .everything && isUnreachable { continue }
            image[path] = content(files[file], contents, &random)
        }
        return image
    }

    private func content(_ file: File, _ loss: Loss, _ random: inout some RandomNumberGenerator) -> [UInt8] {
        var bytes = file.durable
        switch loss {
        case .everything: break
        case .nothing: for change in file.pending { RecordedDisk.apply(change, to: &bytes) }
        case .torn:
            for change in file.pending.dropLast() { RecordedDisk.apply(change, to: &bytes) }
            if case .write(let offset, let written) = file.pending.last {
                let length = min(written.count, Int.random(in: 0...(written.count / 512), using: &random) * 512)
                RecordedDisk.apply(.write(offset: offset, bytes: [UInt8](written[..<length])), to: &bytes)
            }
        case .some:
            for change in file.pending {
                guard case .write(let offset, let written) = change else {
                    if Bool.random(using: &random) { RecordedDisk.apply(change, to: &bytes) }
                    continue
                }
                var start = 0
                while start < written.count {
                    let end = min(written.count, ((offset + start) / 4096 + 1) * 4096 - offset)
                    if Bool.random(using: &random) {
                        RecordedDisk.apply(.write(offset: offset + start, bytes: [UInt8](written[start..<end])), to: &bytes)
                    }
                    start = end
                }
            }
        }
        return bytes
    }

    private static func apply(_ change: Change, to bytes: inout [UInt8]) {
        func grow(_ size: Int) { if bytes.count < size { bytes.append(contentsOf: repeatElement(0, count: size - bytes.count)) } }
        switch change {
        case .write(let offset, let written):
            grow(offset + written.count)
            bytes.replaceSubrange(offset..<(offset + written.count), with: written)
        case .resize(let size):
            grow(size)
            bytes.removeLast(bytes.count - size)
        case .grow(let size): grow(size)
        }
    }
}
