/// The limits of a model's file, beyond which it is rejected.
///
/// The defaults are far above what any application's model needs. They bound the time and memory that a file can cost.
public struct ModelFileLimits: Sendable, Hashable {
    /// The greatest size of a file in bytes, that of decompressed bytes too.
    public var bytes = 32 << 20
    /// The greatest number of elements of a document, or of objects of an archive.
    public var elements = 400_000
    /// The greatest number of elements within each other, and of ancestors of an entity.
    public var nesting = 64
    /// The greatest number of entities of a model.
    public var entities = 10_000
    /// The greatest number of properties of all entities of a model together, inherited ones counted in each.
    public var properties = 200_000
    /// The greatest number of relationships that the entities of a model declare.
    public var relationships = 4_000
    /// The greatest number of versions of a bundle.
    public var versions = 1_000

    /// Creates the default limits.
    public init() {}
}
