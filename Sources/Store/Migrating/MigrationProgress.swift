/// How far a migration has come.
///
/// ```swift
/// description.migrationProgress = { progress in
///     print("\(Int(progress.fractionCompleted * 100)) %")
///     if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
/// }
/// ```
public struct MigrationProgress: Sendable, Hashable {
    /// From 0, said before anything is done, to 1, said when only the commit is left.
    ///
    /// It never falls within one migration; each stage of several is one.
    public let fractionCompleted: Double
    /// The name of the entity in the new model whose objects are being made; `nil` between entities.
    public let entity: String?

    /// Creates a state of a migration.
    public init(fractionCompleted: Double, entity: String?) {
        self.fractionCompleted = fractionCompleted
        self.entity = entity
    }
}
