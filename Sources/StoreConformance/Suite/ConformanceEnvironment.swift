import FoundationEssentials
public import Strata
public import StrataStore

/// What a case works with: the store under test, its partners, and a directory of its own.
public struct ConformanceEnvironment: Sendable {
    /// The store under test.
    public let harness: StoreHarness
    /// The other stores of cases about several.
    public let partners: [StoreHarness]
    /// A new directory, removed after the case.
    public let directory: String
    private let stacks = OpenStacks()

    /// How long a case waits for what must happen.
    static let waitLimit: Duration = .seconds(600)

    init(harness: StoreHarness, partners: [StoreHarness], directory: String? = nil) throws {
        self.harness = harness
        self.partners = partners
        self.directory = directory ?? FileManager.default.temporaryDirectory.path + "/strata-conformance-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: self.directory, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(atPath: directory) }

    /// The first partner; another store of the harness where there are no partners.
    public var partner: StoreHarness { partners.first ?? harness }

    /// The description of a store of the harness, or of another one.
    public func description(
        _ name: String = "store",
        of other: StoreHarness? = nil,
        configuration: String? = nil
    ) -> StoreDescription {
        var description = (other ?? harness).description(in: directory, name: name)
        description.configuration = configuration
        // A case fails by what it checks, never because a loaded machine takes its time.
        description.options.timeout = Self.waitLimit / .seconds(1)
        return description
    }

    /// Opens a store of the harness under a coordinator of its own.
    ///
    /// - Throws: `StoreError` where the store cannot be opened.
    public func stack(
        _ model: ManagedObjectModel,
        _ name: String = "store",
        change: (inout StoreDescription) -> Void = { _ in }
    ) throws -> ConformanceStack {
        var description = description(name)
        change(&description)
        return try stack(model, stores: [description])
    }

    /// Opens several stores under one coordinator.
    ///
    /// - Throws: `StoreError` where one of them cannot be opened; the others are closed again.
    public func stack(_ model: ManagedObjectModel, stores: [StoreDescription]) throws -> ConformanceStack {
        let stack = try ConformanceStack(model, stores)
        stacks.all.append(stack)
        return stack
    }
}

/// Keeps the stacks of a case, and with them its contexts and objects, alive until it ends.
// Unchecked: a case opens its stacks one after the other.
private final class OpenStacks: @unchecked Sendable {
    var all: [ConformanceStack] = []
}

/// Stores under one coordinator, with contexts over them.
public final class ConformanceStack {
    /// The container over the stores.
    public let container: PersistentContainer
    /// What the stores were opened with.
    public let descriptions: [StoreDescription]
    /// Objects end with their context, so all contexts live as long as the stack.
    private var contexts: [ManagedObjectContext] = []
    private var successor: ConformanceStack?

    init(_ model: ManagedObjectModel, _ descriptions: [StoreDescription]) throws {
        self.descriptions = descriptions
        container = try PersistentContainer(name: "conformance", model: model, stores: descriptions)
    }

    private init(sharing stack: ConformanceStack) {
        container = stack.container
        descriptions = stack.descriptions
    }

    /// The coordinator of the container.
    public var coordinator: PersistentStoreCoordinator { container.coordinator }

    /// The store with an index, in the order of the descriptions.
    ///
    /// - Throws: ``ConformanceFailure`` where it is not open.
    public func store(_ index: Int = 0) throws -> any StoreBackend {
        let stores = coordinator.stores
        return try unwrap(index < stores.count ? stores[index] as? any StoreBackend : nil, "store \(index) is not open")
    }

    /// A new context, which lives as long as the stack.
    public func context() -> ManagedObjectContext {
        let context = ManagedObjectContext(coordinator)
        contexts.append(context)
        return context
    }

    /// A new child of a context, which lives as long as the stack.
    func child(of parent: ManagedObjectContext) -> ManagedObjectContext {
        let child = ManagedObjectContext(parent: parent)
        contexts.append(child)
        return child
    }

    /// Closes all stores.
    ///
    /// - Throws: `StoreError` of the first store that cannot be closed.
    public func close() throws {
        for store in coordinator.stores { try coordinator.remove(store) }
    }

    /// Closes all stores and opens them again, with another model where one is given; where a store is not persistent,
    /// just forgets the contexts.
    ///
    /// - Throws: `StoreError` where a store cannot be closed or opened.
    public func reopened(model: ManagedObjectModel? = nil) throws -> ConformanceStack {
        let stack: ConformanceStack
        if coordinator.stores.allSatisfy(\.capabilities.isPersistent) {
            try close()
            stack = try ConformanceStack(model ?? container.model, descriptions)
        } else {
            stack = ConformanceStack(sharing: self)
        }
        successor = stack
        return stack
    }
}
