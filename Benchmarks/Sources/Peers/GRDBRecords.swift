public import DebianArchive
import Foundation
public import GRDB
import StrataWorkload

/// A record with a key and a name alone.
protocol NamedRecord: FetchableRecord, PersistableRecord {
    var id: Int64 { get }
    var name: String { get }
    init(id: Int64, name: String)
}

extension NamedRecord {
    init(row: Row) { self.init(id: row["id"], name: row["name"]) }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
    }
}

/// The record types of the GRDB participant, as GRDB's README writes them: decoded by column name, encoded by column.
enum GRDBRecords {
    struct Section: NamedRecord {
        static let databaseTableName = "section"
        var id: Int64
        var name: String
    }

    struct Maintainer: FetchableRecord, PersistableRecord {
        static let databaseTableName = "maintainer"
        var id: Int64
        var name: String
        var email: String

        init(id: Int64, name: String, email: String) {
            self.id = id
            self.name = name
            self.email = email
        }

        init(row: Row) {
            id = row["id"]
            name = row["name"]
            email = row["email"]
        }

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["name"] = name
            container["email"] = email
        }
    }

    struct Tag: NamedRecord {
        static let databaseTableName = "tag"
        static let links = hasMany(VersionTag.self)
        static let versions = hasMany(Version.self, through: links, using: VersionTag.version)
        var id: Int64
        var name: String

        var versions: QueryInterfaceRequest<Version> { request(for: Tag.versions) }
    }

    struct Package: NamedRecord {
        static let databaseTableName = "package"
        static let versions = hasMany(Version.self)
        var id: Int64
        var name: String

        var versions: QueryInterfaceRequest<Version> { request(for: Package.versions) }
    }

    struct VersionTag: FetchableRecord, PersistableRecord {
        static let databaseTableName = "version_tag"
        static let version = belongsTo(Version.self)
        static let tag = belongsTo(Tag.self)
        var version: Int64
        var tag: Int64

        init(version: Int64, tag: Int64) {
            self.version = version
            self.tag = tag
        }

        init(row: Row) {
            version = row["version"]
            tag = row["tag"]
        }

        func encode(to container: inout PersistenceContainer) {
            container["version"] = version
            container["tag"] = tag
        }
    }

    struct Version: FetchableRecord, PersistableRecord, VersionFields {
        static let databaseTableName = "version"
        static let links = hasMany(VersionTag.self)
        static let tags = hasMany(Tag.self, through: links, using: VersionTag.tag)
        static let dependencies = hasMany(Dependency.self)
        static let section = belongsTo(Section.self)
        var id: Int64
        var package: Int64
        var section: Int64
        var maintainer: Int64
        var version: String
        var architecture: String
        var priority: String
        var summary: String
        var homepage: String?
        var installedSize: Int64
        var size: Int64
        var sha256: Data

        var tags: QueryInterfaceRequest<Tag> { request(for: Version.tags) }
        var dependencies: QueryInterfaceRequest<Dependency> { request(for: Version.dependencies) }

        init(row: Row) {
            id = row["id"]
            package = row["package"]
            section = row["section"]
            maintainer = row["maintainer"]
            version = row["version"]
            architecture = row["architecture"]
            priority = row["priority"]
            summary = row["summary"]
            homepage = row["homepage"]
            installedSize = row["installed_size"]
            size = row["size"]
            sha256 = row["sha256"]
        }

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["package"] = package
            container["section"] = section
            container["maintainer"] = maintainer
            container["version"] = version
            container["architecture"] = architecture
            container["priority"] = priority
            container["summary"] = summary
            container["homepage"] = homepage
            container["installed_size"] = installedSize
            container["size"] = size
            container["sha256"] = sha256
        }
    }
}

extension DebianArchive.Dependency: FetchableRecord, PersistableRecord {
    public static let databaseTableName = "dependency"

    public init(row: Row) {
        self.init(
            id: row["id"], version: row["version"], kind: row["kind"], group: row["group"], alternative: row["alternative"],
            targetName: row["target_name"], target: row["target"], relation: row["relation"], constraint: row["constraint"])
    }

    public func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["version"] = version
        container["kind"] = kind
        container["group"] = group
        container["alternative"] = alternative
        container["target_name"] = targetName
        container["target"] = target
        container["relation"] = relation
        container["constraint"] = constraint
    }
}
