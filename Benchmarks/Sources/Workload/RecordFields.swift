public import DebianArchive

/// The fields of a version that reading steps touch, whatever type a participant keeps it in.
public protocol VersionFields {
    /// The type of the digest's bytes.
    associatedtype Digest: Collection<UInt8>
    /// The key of the version.
    var id: Int64 { get }
    /// The version as its package spells it.
    var version: String { get }
    /// The architecture that it runs on.
    var architecture: String { get }
    /// The priority in its distribution.
    var priority: String { get }
    /// What it is, in one line.
    var summary: String { get }
    /// The project's page, if given.
    var homepage: String? { get }
    /// The size once installed, in KiB.
    var installedSize: Int64 { get }
    /// The size of the archive file in bytes.
    var size: Int64 { get }
    /// 32 bytes, or none.
    var sha256: Digest { get }
}

/// The fields of a dependency that reading steps touch.
public protocol DependencyFields {
    /// The key of the dependency.
    var id: Int64 { get }
    /// The raw value of its `DependencyKind`.
    var kind: Int64 { get }
    /// Which group of the version it belongs to.
    var group: Int64 { get }
    /// Its place among the alternatives.
    var alternative: Int64 { get }
    /// The name of the package depended on.
    var targetName: String { get }
    /// The relation of the constraint; empty without one.
    var relation: String { get }
    /// The version of the constraint; empty without one.
    var constraint: String { get }
}

extension Version: VersionFields {}
extension Dependency: DependencyFields {}

extension Checksum {
    /// Adds every field of a version.
    @inlinable
    public mutating func add(_ version: some VersionFields) {
        add(version.id)
        add(version.version)
        add(version.architecture)
        add(version.priority)
        add(version.summary)
        add(version.homepage)
        add(version.installedSize)
        add(version.size)
        add(bytes: version.sha256)
    }

    /// Adds every field of a dependency.
    @inlinable
    public mutating func add(_ dependency: some DependencyFields) {
        add(dependency.id)
        add(dependency.kind)
        add(dependency.group)
        add(dependency.alternative)
        add(dependency.targetName)
        add(dependency.relation)
        add(dependency.constraint)
    }
}

/// The rows that the archive's steps answer with: one definition for all participants.
extension Answer {
    /// A version with every field touched.
    @inlinable
    public mutating func add(_ version: some VersionFields) {
        row { $0.add(version) }
    }

    /// A dependency with every field touched; `version` and `target` are the keys of what it joins.
    @inlinable
    public mutating func add(_ dependency: some DependencyFields, version: Int64, target: Int64?) {
        row {
            $0.add(dependency)
            $0.add(version)
            $0.add(target)
        }
    }

    /// A version found by its package's name, with what it is joined to.
    @inlinable
    public mutating func add(
        _ version: some VersionFields,
        package: String,
        section: String,
        maintainer: String,
        email: String
    ) {
        row {
            $0.add(version)
            $0.add(package)
            $0.add(section)
            $0.add(maintainer)
            $0.add(email)
        }
    }

    /// A named thing under a key: a tag of a version, a package of a prefix, the count of an entity.
    @inlinable
    public mutating func add(key: Int64, name: String) {
        row {
            $0.add(key)
            $0.add(name)
        }
    }

    /// A section with the number of its versions and the sum of their installed sizes.
    @inlinable
    public mutating func add(section: String, versions: Int64, installedSize: Int64) {
        row {
            $0.add(section)
            $0.add(versions)
            $0.add(installedSize)
        }
    }

    /// A package reached from the root at this place of the list.
    @inlinable
    public mutating func add(root: Int, reached package: Int64) {
        row {
            $0.add(Int64(root))
            $0.add(package)
        }
    }
}
