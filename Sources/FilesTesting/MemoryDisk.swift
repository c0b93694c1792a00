import StrataFiles
import StrataPlatform

/// An `errno` value, for the call that knows operation and path.
struct MemoryError: Error {
    let code: Int32

    init(_ code: Int32) {
        self.code = code
    }
}

/// A file, directory or link in memory, with its current and its synchronized state.
struct MemoryNode {
    var kind: FileStatus.Kind
    var permissions: UInt32
    var user: UInt32 = 0
    var group: UInt32 = 0
    var content: [UInt8] = []
    var durableContent: [UInt8] = []
    var entries: [String: Int] = [:]
    var durableEntries: [String: Int] = [:]
    var link: String?
    /// Shared holders, or -1 for an exclusive one.
    var lockHolders = 0

    init(kind: FileStatus.Kind, permissions: UInt32) {
        self.kind = kind
        self.permissions = permissions
    }

    init(link: String) {
        self.init(kind: .symbolicLink, permissions: 0o777)
        self.link = link
    }

    mutating func write(_ bytes: [UInt8], at offset: Int) throws(MemoryError) {
        guard offset >= 0 else { throw MemoryError(EINVAL) }
        if bytes.isEmpty { return }
        let end = offset &+ bytes.count
        guard end > 0 else { throw MemoryError(EFBIG) }
        if end > content.count { try resize(to: end) }
        content.replaceSubrange(offset..<end, with: bytes)
    }

    mutating func resize(to size: Int) throws(MemoryError) {
        guard size >= 0 else { throw MemoryError(EINVAL) }
        guard size <= 1 << 32 else { throw MemoryError(EFBIG) }
        if size < content.count {
            content.removeLast(content.count - size)
        } else {
            content.append(contentsOf: repeatElement(0, count: size - content.count))
        }
    }
}

/// The nodes of a ``MemoryFileSystem`` and the changes to directories that are not synchronized yet.
struct MemoryDisk {
    static let root = 0

    /// The changes of one call to directory entries: the new node of each name, or none.
    typealias Change = [(directory: Int, name: String, node: Int?)]

    var nodes = [MemoryNode(kind: .directory, permissions: 0o755)]
    private(set) var changes: [Change] = []

    // MARK: Finding

    func node(at path: String, followingLinks: Bool = true) throws(MemoryError) -> Int {
        guard let node = try locate(path, followingLinks: followingLinks).node else { throw MemoryError(ENOENT) }
        return node
    }

    /// Returns the directory of the file at `path`, its name there, empty for the root, and the node if there is one.
    func locate(
        _ path: String, followingLinks: Bool
    ) throws(MemoryError) -> (directory: Int, name: String, node: Int?) {
        guard !path.isEmpty else { throw MemoryError(ENOENT) }
        guard !path.utf8.contains(0) else { throw MemoryError(EINVAL) }
        var components = Array(Self.components(of: path).reversed())
        var trail = [(directory: Self.root, name: "", node: Optional(Self.root))]
        var links = 0
        while let name = components.popLast() {
            guard name.utf8.count <= 255 else { throw MemoryError(ENAMETOOLONG) }
            guard let directory = trail.last?.node else { throw MemoryError(ENOENT) }
            guard nodes[directory].kind == .directory else { throw MemoryError(ENOTDIR) }
            if name == "." { continue }
            if name == ".." {
                if trail.count > 1 { trail.removeLast() }
                continue
            }
            let node = nodes[directory].entries[name]
            if let node, let link = nodes[node].link, followingLinks || !components.isEmpty {
                links += 1
                guard links <= 40 else { throw MemoryError(ELOOP) }
                if link.utf8.first == UInt8(ascii: "/") { trail.removeLast(trail.count - 1) }
                components += Self.components(of: link).reversed()
                continue
            }
            trail.append((directory, name, node))
        }
        return trail[trail.count - 1]
    }

    func status(of node: Int) -> FileStatus {
        let found = nodes[node]
        var status = FileStatus(
            kind: found.kind, size: found.content.count, permissions: found.permissions, device: 1, inode: UInt64(node) + 1)
        (status.user, status.group) = (found.user, found.group)
        return status
    }

    func files(under directory: Int, path: String) -> [String] {
        nodes[directory].entries.flatMap { name, node in
            nodes[node].kind == .directory ? files(under: node, path: path + "/" + name) : [path + "/" + name]
        }
    }

    private static func components(of path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: Changing

    mutating func open(_ path: String, _ mode: OpenMode) throws(MemoryError) -> Int {
        switch mode {
        case .createExclusive(let permissions):
            return try make(path, MemoryNode(kind: .regular, permissions: permissions))
        case .create(let permissions):
            let entry = try locate(path, followingLinks: true)
            guard let node = entry.node else { return add(MemoryNode(kind: .regular, permissions: permissions), entry) }
            if nodes[node].kind == .directory { throw MemoryError(EISDIR) }
            return node
        case .directory:
            let node = try node(at: path)
            if nodes[node].kind != .directory { throw MemoryError(ENOTDIR) }
            return node
        case .readWrite:
            let node = try node(at: path)
            if nodes[node].kind == .directory { throw MemoryError(EISDIR) }
            return node
        case .read:
            return try node(at: path)
        }
    }

    /// Adds a node at a free path, and returns its number.
    mutating func make(_ path: String, _ node: MemoryNode) throws(MemoryError) -> Int {
        let entry = try locate(path, followingLinks: false)
        guard entry.node == nil else { throw MemoryError(EEXIST) }
        return add(node, entry)
    }

    mutating func rename(_ path: String, to destination: String) throws(MemoryError) {
        let from = try locate(path, followingLinks: false)
        let to = try locate(destination, followingLinks: false)
        guard let node = from.node else { throw MemoryError(ENOENT) }
        guard from.node != Self.root, to.node != Self.root else { throw MemoryError(EBUSY) }
        if from.node == to.node { return }
        if let replaced = to.node {
            let isDirectory = nodes[node].kind == .directory
            guard isDirectory == (nodes[replaced].kind == .directory) else { throw MemoryError(isDirectory ? ENOTDIR : EISDIR) }
            guard nodes[replaced].entries.isEmpty else { throw MemoryError(ENOTEMPTY) }
        }
        apply([(from.directory, from.name, nil), (to.directory, to.name, node)])
    }

    mutating func unlink(_ path: String) throws(MemoryError) {
        let entry = try locate(path, followingLinks: false)
        guard let node = entry.node else { throw MemoryError(ENOENT) }
        guard nodes[node].kind != .directory else { throw MemoryError(EISDIR) }
        apply([(entry.directory, entry.name, nil)])
    }

    mutating func removeDirectory(_ path: String) throws(MemoryError) {
        let entry = try locate(path, followingLinks: false)
        guard let node = entry.node else { throw MemoryError(ENOENT) }
        guard nodes[node].kind == .directory else { throw MemoryError(ENOTDIR) }
        guard node != Self.root else { throw MemoryError(EBUSY) }
        guard nodes[node].entries.isEmpty else { throw MemoryError(ENOTEMPTY) }
        apply([(entry.directory, entry.name, nil)])
    }

    /// Creates directories that are synchronized from the start; existing names stay.
    mutating func makeTree(_ path: String) {
        var directory = Self.root
        for name in Self.components(of: path) {
            if let next = nodes[directory].entries[name] {
                directory = next
                continue
            }
            directory = add(MemoryNode(kind: .directory, permissions: 0o755), (directory, name, nil))
        }
        for node in nodes.indices { synchronize(node) }
    }

    mutating func lock(_ node: Int, _ mode: FileLock.Mode) -> Bool {
        switch (mode, nodes[node].lockHolders) {
        case (.exclusive, 0): nodes[node].lockHolders = -1
        case (.shared, 0...): nodes[node].lockHolders += 1
        default: return false
        }
        return true
    }

    mutating func unlock(_ node: Int) {
        nodes[node].lockHolders = max(0, nodes[node].lockHolders - 1)
    }

    private mutating func add(_ node: MemoryNode, _ entry: (directory: Int, name: String, node: Int?)) -> Int {
        nodes.append(node)
        apply([(entry.directory, entry.name, nodes.count - 1)])
        return nodes.count - 1
    }

    private mutating func apply(_ change: Change) {
        for entry in change { nodes[entry.directory].entries[entry.name] = entry.node }
        changes.append(change)
    }

    // MARK: Disk

    mutating func synchronize(_ node: Int) {
        nodes[node].durableContent = nodes[node].content
        guard nodes[node].kind == .directory else { return }
        nodes[node].durableEntries = nodes[node].entries
        changes = changes.map { $0.filter { $0.directory != node } }.filter { !$0.isEmpty }
    }

    /// Returns the disk after a power loss, which keeps a share of `fraction` of unsynchronized content and entries.
    func afterCrash(keeping fraction: Double, seed: UInt64) -> MemoryDisk {
        var random = SplitMix64(state: seed)
        var disk = self
        for node in nodes.indices {
            disk.nodes[node].lockHolders = 0
            disk.nodes[node].content = Self.torn(nodes[node], keeping: fraction, using: &random)
            disk.nodes[node].entries = nodes[node].durableEntries
        }
        for change in changes where random.chance(fraction) {
            for entry in change { disk.nodes[entry.directory].entries[entry.name] = entry.node }
        }
        for node in disk.nodes.indices {
            disk.nodes[node].durableContent = disk.nodes[node].content
            disk.nodes[node].durableEntries = disk.nodes[node].entries
        }
        disk.changes = []
        return disk
    }

    private static func torn(_ node: MemoryNode, keeping fraction: Double, using random: inout SplitMix64) -> [UInt8] {
        let (old, new) = (node.durableContent, node.content)
        if fraction >= 1 || old == new { return new }
        if fraction <= 0 { return old }
        let sector = 512
        let count = random.chance(fraction) ? new.count : old.count
        var content = Array(old.prefix(count)) + repeatElement(0, count: max(0, count - old.count))
        for start in stride(from: 0, to: min(count, new.count), by: sector) where random.chance(fraction) {
            let range = start..<min(start + sector, count, new.count)
            content.replaceSubrange(range, with: new[range])
        }
        return content
    }
}

/// A small seeded generator: equal seeds make equal crashes.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < probability
    }
}
