import Strata

/// The archive spread over five stores by configuration.
///
/// Relationships stay within a store; groups in different stores are joined by key.
enum FederatedModel {
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Package", class: PackageObject.self) {
                Attribute("id", .integer64).required
                Attribute("name", .string).required
                Relationship("versions", to: "Version", inverse: "package", .toMany, deleteRule: .cascade)
                Unique("name")
                FetchIndex("byKey", on: "id")
            }
            Entity("Version", class: VersionObject.self) {
                VersionObject.attributes
                Attribute("sectionKey", .integer64).required
                Attribute("maintainerKey", .integer64).required
                Relationship("package", to: "Package", inverse: "versions").required
                FetchIndex("byInstalledSize", on: "installedSize")
                FetchIndex("byKey", on: "id")
            }
            Entity("Dependency", class: DependencyObject.self) {
                DependencyObject.attributes
                Attribute("versionKey", .integer64).required
                Attribute("targetKey", .integer64)
                FetchIndex("byVersion", on: "versionKey")
                FetchIndex("byTarget", on: "targetKey")
            }
            Entity("TagLink", class: TagLinkObject.self) {
                Attribute("versionKey", .integer64).required
                Attribute("tagKey", .integer64).required
                FetchIndex("byVersion", on: "versionKey")
                FetchIndex("byTag", on: "tagKey")
            }
            Entity("Maintainer", class: MaintainerObject.self) {
                Attribute("id", .integer64).required
                Attribute("name", .string).required
                Attribute("email", .string).required
                FetchIndex("byKey", on: "id")
            }
            Entity("Section", class: SectionObject.self) {
                Attribute("id", .integer64).required
                Attribute("name", .string).required
                FetchIndex("byKey", on: "id")
            }
            Entity("Tag", class: TagObject.self) {
                Attribute("id", .integer64).required
                Attribute("name", .string).required
                Unique("name")
                FetchIndex("byKey", on: "id")
            }
            Entity("SectionTotal", class: SectionTotalObject.self) {
                Attribute("sectionKey", .integer64).required
                Attribute("versions", .integer64).required
                Attribute("installedSize", .integer64).required
            }
            EntityConfiguration("catalogue", "Package", "Version")
            EntityConfiguration("graph", "Dependency", "TagLink")
            EntityConfiguration("people", "Maintainer")
            EntityConfiguration("vocabulary", "Section", "Tag")
            EntityConfiguration("totals", "SectionTotal")
        }
    }
}

/// A tag of a version, by their keys: the two are in different stores.
final class TagLinkObject: ManagedObject {
    static let versionKey = Key<Int64>("versionKey")
    static let tagKey = Key<Int64>("tagKey")
    var versionKey: Int64 { self[Self.versionKey] ?? 0 }
    var tagKey: Int64 { self[Self.tagKey] ?? 0 }
}

/// What grouping found for a section, computed once a process.
final class SectionTotalObject: ManagedObject {
    static let sectionKey = Key<Int64>("sectionKey")
    static let versions = Key<Int64>("versions")
    static let installedSize = Key<Int64>("installedSize")
}

extension VersionObject {
    static let sectionKey = Key<Int64>("sectionKey")
    static let maintainerKey = Key<Int64>("maintainerKey")
}

extension DependencyObject {
    static let versionKey = Key<Int64>("versionKey")
    static let targetKey = Key<Int64>("targetKey")
}
