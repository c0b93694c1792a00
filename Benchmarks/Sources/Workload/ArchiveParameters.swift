public import DebianArchive

/// What the steps ask for: drawn once from the dataset, the same for every participant.
public struct ArchiveParameters: Sendable, Codable, Equatable {
    /// A range of installed sizes in KiB, both ends included.
    public struct SizeRange: Sendable, Codable, Equatable {
        /// The smallest size in the range.
        public var low: Int64
        /// The largest size in the range.
        public var high: Int64
    }

    /// The names for `byName`.
    public var names: [String]
    /// The keys of the versions for `byID`.
    public var versions: [Int64]
    /// The ranges for `range`.
    public var sizes: [SizeRange]
    /// The words for `text`; case matters.
    public var words = ["library", "game", "Python", "documentation"]
    /// The name prefixes for `text`.
    public var prefixes = ["libx", "python3-d", "golang-", "z"]
    /// The tags for `tagged`.
    public var tags: [String]
    /// The names of the packages where `closure` starts.
    public var roots: [String]
    /// The keys of the versions for `update`.
    public var updates: [Int64]
    /// The keys of the versions for `singles`: some of those that `update` changes.
    ///
    /// Each is changed, and later changed back, so that a participant without the step keeps the same rows.
    public var singles: [Int64]
    /// How many threads read in `besideWriter`.
    public var readers = 2
    /// The keys of the packages for `delete`.
    public var deletes: [Int64]
    /// The priority that `update` gives.
    public var updatedPriority = "extra"

    /// Draws the parameters; the same dataset always gives the same ones.
    public init(_ dataset: Dataset) {
        var random = SplitMix64(seed: 2)
        let packages = dataset.packages.count
        names = dataset.packages.shuffled(using: &random).prefix(min(1_000, packages)).map(\.name)
        versions = dataset.versions.map(\.id).shuffled(using: &random).prefix(5_000).map { $0 }
        let ordered = dataset.versions.map(\.installedSize).sorted()
        sizes = stride(from: 0, to: 100, by: 2).compactMap { percent in
            let low = ordered.count * percent / 100
            let high = min(low + ordered.count / 100, ordered.count - 1)
            return ordered.isEmpty ? nil : SizeRange(low: ordered[low], high: ordered[high])
        }
        var uses: [Int64: Int] = [:]
        for version in dataset.versions { for tag in version.tags { uses[tag, default: 0] += 1 } }
        let popular = dataset.tags.sorted { (uses[$0.id] ?? 0, $1.id) > (uses[$1.id] ?? 0, $0.id) }
        tags = popular.prefix(20).map(\.name)
        var dependencies: [Int64: Int] = [:]
        for dependency in dataset.dependencies where dependency.target != nil { dependencies[dependency.version, default: 0] += 1 }
        let heaviest = dataset.versions.sorted { (dependencies[$0.id] ?? 0, $1.id) > (dependencies[$1.id] ?? 0, $0.id) }
        roots = heaviest.prefix(8).compactMap { version in
            dataset.packages.indices.contains(Int(version.package) - 1) ? dataset.packages[Int(version.package) - 1].name : nil
        }
        updates = dataset.versions.map(\.id).shuffled(using: &random).prefix(dataset.versions.count / 10).map { $0 }
        singles = Array(updates.prefix(50))
        deletes = dataset.packages.map(\.id).shuffled(using: &random).prefix(packages / 50).map { $0 }
    }
}
