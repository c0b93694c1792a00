public import StrataCoordinator
public import StrataGraph
public import StrataModel
public import StrataStore

/// A model, a coordinator with its stores, and contexts over them: all that an application sets up.
///
/// ```swift
/// let container = try PersistentContainer(model: model, stores: [StoreDescription(.sqlite, path: "zoo.sqlite")])
/// let zebra = Animal(context: container.viewContext)
/// ```
public final class PersistentContainer: Sendable {
    /// A name by which people distinguish containers.
    public let name: String
    /// The histories of the stores that keep one.
    public var history: PersistentHistory { coordinator.history }
    /// The coordinator of all contexts of the container.
    public let coordinator: PersistentStoreCoordinator
    /// The model that the container was made with.
    public var model: ManagedObjectModel { coordinator.model }

    /// The context of the main actor, made at its first use.
    @MainActor public var viewContext: ManagedObjectContext {
        if let madeViewContext { return madeViewContext }
        let context = ManagedObjectContext(coordinator)
        context.name = "\(name) view context"
        prepare(context)
        madeViewContext = context
        return context
    }
    /// Called with every new context of the container.
    private let prepare: @Sendable (ManagedObjectContext) -> Void
    @MainActor private(set) var madeViewContext: ManagedObjectContext?
    /// What blocks of `read` and `write` wait for.
    let access: ContainerAccess
    let backgroundContexts = BackgroundContexts()

    /// Opens the stores, or creates new ones.
    ///
    /// - Parameters:
    ///   - name: A name by which people distinguish containers.
    ///   - model: The model; stores that were made with another version of it are migrated by default.
    ///   - stores: Where the stores are.
    ///   - stages: The versions that older stores are migrated through first, see
    ///     ``/StrataCoordinator/PersistentStoreCoordinator/migrateStore(_:through:)``.
    ///   - instrumentation: The logger and the observers of the stores' work, migrations included; none by default.
    /// - Throws: `StoreError` of the first store that cannot be opened; the others are closed again then.
    public convenience init(
        name: String = "Strata", model: ManagedObjectModel, stores: [StoreDescription], stages: [MigrationStage] = [],
        instrumentation: StoreInstrumentation = StoreInstrumentation()
    ) throws {
        try self.init(name: name, model: model, stores: stores, stages: stages, instrumentation: instrumentation) { _ in }
    }

    /// Opens the stores for a container that prepares its contexts.
    init(
        name: String, model: ManagedObjectModel, stores: [StoreDescription], stages: [MigrationStage],
        instrumentation: StoreInstrumentation,
        prepare: @escaping @Sendable (ManagedObjectContext) -> Void
    ) throws {
        self.name = name
        self.prepare = prepare
        coordinator = PersistentStoreCoordinator(model: model, instrumentation: instrumentation)
        for description in stores { try coordinator.addStore(description, through: stages) }
        access = ContainerAccess(stores, allowsConcurrentWriters: coordinator.stores.allSatisfy(\.capabilities.allowsConcurrentWriters))
    }

    /// Returns a context for its creator: an actor that keeps it, or a function that uses it until it returns.
    public func newContext(isolation: (any Actor)? = #isolation) -> ManagedObjectContext {
        let context = ManagedObjectContext(coordinator, isolation: isolation)
        prepare(context)
        return context
    }

    /// Closes all stores; contexts and objects that are left find none.
    ///
    /// - Throws: `StoreError` of the first store that cannot be closed; the others are closed.
    public func close() throws {
        var first: (any Error)?
        for store in coordinator.stores {
            do { try coordinator.remove(store) } catch { first = first ?? error }
        }
        if let first { throw first }
    }

    /// Returns a context on a queue of its own.
    public func newBackgroundContext() -> BackgroundContext {
        let context = background(named: "\(name) background context")
        backgroundContexts.add(context)
        return context
    }

    /// Returns a context on a queue of its own, which is not asked for unsaved changes at the end.
    func background(named name: String) -> BackgroundContext {
        let context = BackgroundContext(coordinator, name: name)
        context.performAndWait(prepare)
        return context
    }

    /// Runs a block with a context of its own, on that context's queue.
    ///
    /// - Throws: What the block throws.
    public func performBackgroundTask<T: Sendable>(_ block: @escaping @Sendable (ManagedObjectContext) throws -> T) async throws -> T {
        try await background(named: "\(name) background context").perform(block)
    }
}
