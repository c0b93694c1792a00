public import StrataCoordinator
public import StrataGraph
import StrataModel
import StrataStore

/// The versions of a model, and how stores get from one to the next.
///
/// ```swift
/// enum PeoplePlan: SchemaMigrationPlan {
///     static var schemas: [any VersionedSchema.Type] { [PeopleV1.self, PeopleV2.self] }
///     static var stages: [MigrationStage] { [.lightweight(fromVersion: PeopleV1.self, toVersion: PeopleV2.self)] }
/// }
/// ```
public protocol SchemaMigrationPlan {
    /// The versions, the earliest first.
    static var schemas: [any VersionedSchema.Type] { get }
    /// The stages, one from each version to the next.
    static var stages: [MigrationStage] { get }
}

extension MigrationStage {
    /// Looks at the objects of a store, or changes and saves them.
    public typealias ContextHandler = @Sendable (_ context: ManagedObjectContext) throws -> Void

    /// Returns a stage between two versions, without handlers.
    public static func lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type) -> MigrationStage {
        .custom(from: model(of: fromVersion), to: model(of: toVersion), willMigrate: nil, didMigrate: nil)
    }

    /// Returns a stage between two versions, with handlers before and after it that get a context over the store alone
    /// and save what they change.
    ///
    /// - Parameters:
    ///   - fromVersion: The version that the stage begins with.
    ///   - toVersion: The version that it migrates to.
    ///   - willMigrate: Gets the objects before the migration, of the classes of the old version. It runs again if the
    ///     process ends during the stage.
    ///   - didMigrate: Gets the objects after the migration. It runs again until it has returned once.
    public static func custom(
        fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type, willMigrate: ContextHandler?,
        didMigrate: ContextHandler?
    ) -> MigrationStage {
        .custom(
            from: model(of: fromVersion), to: model(of: toVersion), willMigrate: willMigrate.map(overContext),
            didMigrate: didMigrate.map(overContext))
    }

    private static func overContext(_ handler: @escaping ContextHandler) -> Handler { { try handler(ManagedObjectContext($0)) } }

    private static func model(of version: any VersionedSchema.Type) -> Result<ManagedObjectModel, ModelError> {
        do throws(ModelError) { return .success(try ManagedObjectModel(versionedSchema: version)) } catch { return .failure(error) }
    }
}

extension StoreDescription {
    /// Returns the description, with the versions of a plan as the earlier models of the store.
    func knowing(_ plan: any SchemaMigrationPlan.Type) throws(ModelError) -> StoreDescription {
        var description = self
        for schema in plan.schemas.dropLast() { description.earlierModels.append(try ManagedObjectModel(versionedSchema: schema)) }
        return description
    }
}
