/// A row with a key and a name alone: an archive section such as `games`, a tag of the form `facet::value`, or a package name with at least
/// one version.
public struct NamedRow: Sendable, Equatable {
    /// The key, counted from 1.
    public var id: Int64
    /// The name, which is unique in its table.
    public var name: String
}

/// Someone who maintains packages.
public struct Maintainer: Sendable, Equatable {
    /// The key, counted from 1.
    public var id: Int64
    /// The name as packages spell it.
    public var name: String
    /// The address; name and address together are unique.
    public var email: String
}

extension [NamedRow] {
    /// Appends a row under the next key.
    public mutating func append(name: String) { append(NamedRow(id: Int64(count + 1), name: name)) }
}

extension [Maintainer] {
    /// Appends a row under the next key.
    public mutating func append(name: String, email: String) { append(Maintainer(id: Int64(count + 1), name: name, email: email)) }
}

/// One version of a package.
public struct Version: Sendable, Equatable {
    /// The key, counted from 1.
    public var id: Int64
    /// The key of its package.
    public var package: Int64
    /// The key of its section.
    public var section: Int64
    /// The key of its `Maintainer`.
    public var maintainer: Int64
    /// The version as its package spells it.
    public var version: String
    /// The architecture that it runs on.
    public var architecture: String
    /// The priority in its distribution.
    public var priority: String
    /// What it is, in one line.
    public var summary: String
    /// The project's page, if given.
    public var homepage: String?
    /// The size once installed, in KiB.
    public var installedSize: Int64
    /// The size of the archive file in bytes.
    public var size: Int64
    /// 32 bytes, or none.
    public var sha256: [UInt8]
    /// The keys of its `Tag`s, none twice.
    public var tags: [Int64]

    /// Creates the row of these values.
    public init(
        id: Int64,
        package: Int64,
        section: Int64,
        maintainer: Int64,
        version: String,
        architecture: String,
        priority: String,
        summary: String,
        homepage: String?,
        installedSize: Int64,
        size: Int64,
        sha256: [UInt8],
        tags: [Int64]
    ) {
        self.id = id
        self.package = package
        self.section = section
        self.maintainer = maintainer
        self.version = version
        self.architecture = architecture
        self.priority = priority
        self.summary = summary
        self.homepage = homepage
        self.installedSize = installedSize
        self.size = size
        self.sha256 = sha256
        self.tags = tags
    }
}

/// One alternative of one dependency group of one version.
public struct Dependency: Sendable, Equatable {
    /// The key, counted from 1.
    public var id: Int64
    /// The key of the `Version` that depends.
    public var version: Int64
    /// The raw value of its `DependencyKind`.
    public var kind: Int64
    /// Which group of the version it belongs to, counted from 0.
    public var group: Int64
    /// Its place among the alternatives of the group, counted from 0.
    public var alternative: Int64
    /// The name of the package depended on.
    public var targetName: String
    /// The key of the package of that name, if the index carries one.
    public var target: Int64?
    /// The relation of the constraint; empty without one.
    public var relation: String
    /// The version of the constraint; empty without one.
    public var constraint: String

    /// Creates the row of these values.
    public init(
        id: Int64,
        version: Int64,
        kind: Int64,
        group: Int64,
        alternative: Int64,
        targetName: String,
        target: Int64?,
        relation: String,
        constraint: String
    ) {
        self.id = id
        self.version = version
        self.kind = kind
        self.group = group
        self.alternative = alternative
        self.targetName = targetName
        self.target = target
        self.relation = relation
        self.constraint = constraint
    }
}

/// An archive index as seven tables with integer keys: what every participant stores.
public struct Dataset: Sendable, Equatable {
    /// Sections in the order of appearance; the element at `i` has the key `i + 1`, here and below.
    public var sections: [NamedRow] = []
    /// Maintainers in the order of appearance.
    public var maintainers: [Maintainer] = []
    /// Tags in the order of appearance.
    public var tags: [NamedRow] = []
    /// Packages in the order of appearance.
    public var packages: [NamedRow] = []
    /// Versions in the order of the index.
    public var versions: [Version] = []
    /// Dependencies, grouped by version.
    public var dependencies: [Dependency] = []
    /// Stanzas left out because package, version and architecture were there already.
    public var repeated = 0

    /// How many rows the tables hold in all, without the links between versions and tags.
    public var rowCount: Int {
        sections.count + maintainers.count + tags.count + packages.count + versions.count + dependencies.count
    }

    /// The bytes of all values and links: eight for a number, the bytes of a text.
    public var byteCount: Int {
        let names =
            sections.reduce(0) { $0 + 8 + $1.name.utf8.count } + tags.reduce(0) { $0 + 8 + $1.name.utf8.count }
            + packages.reduce(0) { $0 + 8 + $1.name.utf8.count }
            + maintainers.reduce(0) { $0 + 8 + $1.name.utf8.count + $1.email.utf8.count }
        return names + versions.reduce(0) { $0 + $1.byteCount } + dependencies.reduce(0) { $0 + $1.byteCount }
    }
}

extension Version {
    fileprivate var byteCount: Int {
        let texts = [version, architecture, priority, summary, homepage ?? ""].reduce(0) { $0 + $1.utf8.count }
        return 6 * 8 + texts + sha256.count + 2 * 8 * tags.count
    }
}

extension Dependency {
    fileprivate var byteCount: Int { 6 * 8 + targetName.utf8.count + relation.utf8.count + constraint.utf8.count }
}
