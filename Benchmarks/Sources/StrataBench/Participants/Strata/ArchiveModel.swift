import DebianArchive
import FoundationEssentials
import Strata
import StrataWorkload

/// The archive as an object graph in one store: every join is a relationship.
enum ArchiveModel {
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Section", class: SectionObject.self) {
                Attribute("id", .integer64).required
                Attribute("name", .string).required
                Relationship("versions", to: "Version", inverse: "section", .toMany)
                Unique("name")
            }
            Entity("Maintainer", class: MaintainerObject.self) {
                Attribute("id", .integer64).required
                Attribute("name", .string).required
                Attribute("email", .string).required
                Relationship("versions", to: "Version", inverse: "maintainer", .toMany)
            }
            Entity("Tag", class: TagObject.self) {
                Attribute("id", .integer64).required
                Attribute("name", .string).required
                Relationship("versions", to: "Version", inverse: "tags", .toMany)
                Unique("name")
            }
            Entity("Package", class: PackageObject.self) {
                Attribute("id", .integer64).required
                Attribute("name", .string).required
                Relationship("versions", to: "Version", inverse: "package", .toMany, deleteRule: .cascade)
                Relationship("dependents", to: "Dependency", inverse: "target", .toMany)
                Unique("name")
            }
            Entity("Version", class: VersionObject.self) {
                VersionObject.attributes
                Relationship("package", to: "Package", inverse: "versions").required
                Relationship("section", to: "Section", inverse: "versions")
                Relationship("maintainer", to: "Maintainer", inverse: "versions")
                Relationship("tags", to: "Tag", inverse: "versions", .toMany)
                Relationship("dependencies", to: "Dependency", inverse: "version", .toMany, deleteRule: .cascade)
                FetchIndex("byInstalledSize", on: "installedSize")
            }
            Entity("Dependency", class: DependencyObject.self) {
                DependencyObject.attributes
                Relationship("version", to: "Version", inverse: "dependencies").required
                Relationship("target", to: "Package", inverse: "dependents")
            }
        }
    }
}

/// A section in the graph.
final class SectionObject: ManagedObject {
    static let id = Key<Int64>("id")
    static let name = Key<String>("name")
    var id: Int64 { self[Self.id] ?? 0 }
    var name: String { self[Self.name] ?? "" }

    convenience init(_ row: NamedRow, in context: ManagedObjectContext) {
        self.init(context: context)
        self[Self.id] = row.id
        self[Self.name] = row.name
    }
}

/// A maintainer in the graph.
final class MaintainerObject: ManagedObject {
    static let id = Key<Int64>("id")
    static let name = Key<String>("name")
    static let email = Key<String>("email")
    var id: Int64 { self[Self.id] ?? 0 }
    var name: String { self[Self.name] ?? "" }
    var email: String { self[Self.email] ?? "" }

    convenience init(_ row: Maintainer, in context: ManagedObjectContext) {
        self.init(context: context)
        self[Self.id] = row.id
        self[Self.name] = row.name
        self[Self.email] = row.email
    }
}

/// A tag in the graph.
final class TagObject: ManagedObject {
    static let id = Key<Int64>("id")
    static let name = Key<String>("name")
    static let versions = ToMany<VersionObject>("versions")
    var id: Int64 { self[Self.id] ?? 0 }
    var name: String { self[Self.name] ?? "" }

    convenience init(_ row: NamedRow, in context: ManagedObjectContext) {
        self.init(context: context)
        self[Self.id] = row.id
        self[Self.name] = row.name
    }
}

/// A package in the graph.
final class PackageObject: ManagedObject {
    static let id = Key<Int64>("id")
    static let name = Key<String>("name")
    static let versions = ToMany<VersionObject>("versions")
    var id: Int64 { self[Self.id] ?? 0 }
    var name: String { self[Self.name] ?? "" }

    convenience init(_ row: NamedRow, in context: ManagedObjectContext) {
        self.init(context: context)
        self[Self.id] = row.id
        self[Self.name] = row.name
    }
}

/// A version in the graph.
final class VersionObject: ManagedObject, VersionFields {
    static let id = Key<Int64>("id")
    static let version = Key<String>("version")
    static let architecture = Key<String>("architecture")
    static let priority = Key<String>("priority")
    static let summary = Key<String>("summary")
    static let homepage = Key<String>("homepage")
    static let installedSize = Key<Int64>("installedSize")
    static let size = Key<Int64>("size")
    static let sha256 = Key<Data>("sha256")
    static let package = ToOne<PackageObject>("package")
    static let section = ToOne<SectionObject>("section")
    static let maintainer = ToOne<MaintainerObject>("maintainer")
    static let tags = ToMany<TagObject>("tags")
    static let dependencies = ToMany<DependencyObject>("dependencies")

    var id: Int64 { self[Self.id] ?? 0 }
    var version: String { self[Self.version] ?? "" }
    var architecture: String { self[Self.architecture] ?? "" }
    var priority: String { self[Self.priority] ?? "" }
    var summary: String { self[Self.summary] ?? "" }
    var homepage: String? { self[Self.homepage] }
    var installedSize: Int64 { self[Self.installedSize] ?? 0 }
    var size: Int64 { self[Self.size] ?? 0 }
    var sha256: Data { self[Self.sha256] ?? Data() }

    static var attributes: [any EntityElement] {
        [
            Attribute("id", .integer64).required,
            Attribute("version", .string).required,
            Attribute("architecture", .string).required,
            Attribute("priority", .string).required,
            Attribute("summary", .string).required,
            Attribute("homepage", .string),
            Attribute("installedSize", .integer64).required,
            Attribute("size", .integer64).required,
            Attribute("sha256", .binary),
        ]
    }

    func fill(_ row: Version) {
        self[Self.id] = row.id
        self[Self.version] = row.version
        self[Self.architecture] = row.architecture
        self[Self.priority] = row.priority
        self[Self.summary] = row.summary
        self[Self.homepage] = row.homepage
        self[Self.installedSize] = row.installedSize
        self[Self.size] = row.size
        self[Self.sha256] = Data(row.sha256)
    }

    /// What the steps that update do to a version.
    func change(_ growth: Int64, _ priority: String) {
        self[Self.installedSize] = installedSize + growth
        self[Self.priority] = priority
    }
}

/// A dependency in the graph.
final class DependencyObject: ManagedObject, DependencyFields {
    static let id = Key<Int64>("id")
    static let kind = Key<Int64>("kind")
    static let group = Key<Int64>("group")
    static let alternative = Key<Int64>("alternative")
    static let targetName = Key<String>("targetName")
    static let relation = Key<String>("relation")
    static let constraint = Key<String>("constraint")
    static let version = ToOne<VersionObject>("version")
    static let target = ToOne<PackageObject>("target")

    var id: Int64 { self[Self.id] ?? 0 }
    var kind: Int64 { self[Self.kind] ?? 0 }
    var group: Int64 { self[Self.group] ?? 0 }
    var alternative: Int64 { self[Self.alternative] ?? 0 }
    var targetName: String { self[Self.targetName] ?? "" }
    var relation: String { self[Self.relation] ?? "" }
    var constraint: String { self[Self.constraint] ?? "" }

    static var attributes: [any EntityElement] {
        [
            Attribute("id", .integer64).required,
            Attribute("kind", .integer16).required,
            Attribute("group", .integer32).required,
            Attribute("alternative", .integer32).required,
            Attribute("targetName", .string).required,
            Attribute("relation", .string).required,
            Attribute("constraint", .string).required,
        ]
    }

    func fill(_ row: Dependency) {
        self[Self.id] = row.id
        self[Self.kind] = row.kind
        self[Self.group] = row.group
        self[Self.alternative] = row.alternative
        self[Self.targetName] = row.targetName
        self[Self.relation] = row.relation
        self[Self.constraint] = row.constraint
    }
}
