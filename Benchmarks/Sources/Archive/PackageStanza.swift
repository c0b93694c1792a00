/// One stanza of a Debian package index: one version of one binary package, with the fields that the benchmark uses.
public struct PackageStanza: Sendable, Equatable {
    /// The name of the package.
    public var package = ""
    /// The version string, with epoch and revision.
    public var version = ""
    /// The architecture, such as `amd64` or `all`.
    public var architecture = ""
    /// The archive section, such as `games` or `contrib/net`.
    public var section = ""
    /// The priority, such as `optional`.
    public var priority = ""
    /// Who maintains the package.
    public var maintainer = MaintainerName(name: "", email: "")
    /// The size once installed, in KiB; 0 where the index does not say.
    public var installedSize: Int64 = 0
    /// The size of the archive file in bytes; 0 where the index does not say.
    public var size: Int64 = 0
    /// The project's page, if given.
    public var homepage: String?
    /// The short description: the first line of `Description`.
    public var summary = ""
    /// The tags, each `facet::value`, in the order of the index.
    public var tags: [String] = []
    /// What the package depends on, field by field, in the order Pre-Depends, Depends, Recommends, Suggests.
    public var dependencies: [DependencyGroup] = []
    /// The SHA-256 of the archive file: 32 bytes, or none where the index does not say.
    public var sha256: [UInt8] = []

    /// Creates an empty stanza.
    public init() {}
}

/// A maintainer as an index writes one: `Name <email>`.
public struct MaintainerName: Sendable, Hashable {
    /// The name before the angle bracket.
    public var name: String
    /// The address between the angle brackets; empty where there is none.
    public var email: String
}

/// How strong a dependency is.
///
/// The raw value is what the participants store.
public enum DependencyKind: Int64, Sendable, CaseIterable {
    /// `Pre-Depends`: must be configured before unpacking.
    case preDepends
    /// `Depends`: must be installed.
    case depends
    /// `Recommends`: installed unless refused.
    case recommends
    /// `Suggests`: mentioned, and not installed.
    case suggests

    /// The field's name in the index.
    public var field: String {
        switch self {
        case .preDepends: "Pre-Depends"
        case .depends: "Depends"
        case .recommends: "Recommends"
        case .suggests: "Suggests"
        }
    }
}

/// One comma-separated member of a dependency field: alternatives, any of which will do.
public struct DependencyGroup: Sendable, Equatable {
    /// The field that the group stands in.
    public var kind: DependencyKind
    /// The alternatives, separated by `|` in the index, the preferred first.
    public var alternatives: [DependencyTarget]
}

/// One alternative: a package name with an optional constraint on its version.
public struct DependencyTarget: Sendable, Equatable {
    /// The name of the package, possibly a virtual one that no stanza carries.
    public var name: String
    /// `<<`, `<=`, `=`, `>=` or `>>`; empty without a constraint.
    public var relation = ""
    /// The version that the relation compares with; empty without a constraint.
    public var version = ""
}
