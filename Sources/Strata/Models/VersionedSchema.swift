public import StrataGraph
public import StrataModel

/// A version of a model whose entities are classes, nested in the type that conforms.
///
/// ```swift
/// enum PeopleV1: VersionedSchema {
///     static let versionIdentifier = Schema.Version(1, 0, 0)
///     static var models: [any PersistentModel.Type] { [Person.self] }
///     @Model final class Person: ManagedObject { … }
/// }
/// ```
public protocol VersionedSchema {
    /// The classes; those that they reference belong to the version, too.
    static var models: [any PersistentModel.Type] { get }
    /// The number of the version, which the model carries.
    static var versionIdentifier: Schema.Version { get }
}

/// The types that belong to versions of models.
public enum Schema {
    /// The number of a version: three numbers of which the first decides first.
    public struct Version: Sendable, Hashable, Comparable, CustomStringConvertible {
        /// The number that decides first.
        public let major: Int
        /// The number that decides among equal first ones.
        public let minor: Int
        /// The number that decides last.
        public let patch: Int

        /// A version number.
        public init(_ major: Int, _ minor: Int, _ patch: Int) {
            self.major = major
            self.minor = minor
            self.patch = patch
        }

        public static func < (lhs: Version, rhs: Version) -> Bool { (lhs.major, lhs.minor, lhs.patch) < (rhs.major, rhs.minor, rhs.patch) }

        public var description: String { "\(major).\(minor).\(patch)" }
    }
}

extension ManagedObjectModel {
    /// The model of a version.
    ///
    /// - Throws: `ModelError` that names the entity and the property where the declarations are inconsistent.
    public convenience init(versionedSchema: any VersionedSchema.Type) throws(ModelError) {
        try self.init(classes: versionedSchema.models, versionIdentifiers: [versionedSchema.versionIdentifier.description])
    }
}
