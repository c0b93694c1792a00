/// How far a migration has come.
///
/// ```swift
/// description.migrationProgress = { progress in
///     print("\(Int(progress.fractionCompleted * 100)) %")
///     if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
/// }
/// ```
public struct MigrationProgress: Sendable, Hashable {
    /// From 0, before any work, to 1, when only the commit is left.
    ///
    /// It never decreases within one migration; each stage of several is one.
    public let fractionCompleted: Double
    /// The name of the entity in the new model whose objects are being created; `nil` between entities.
    public let entity: String?

    /// Creates a state of a migration.
    public init(fractionCompleted: Double, entity: String?) {
        self.fractionCompleted = fractionCompleted
        self.entity = entity
    }
}
