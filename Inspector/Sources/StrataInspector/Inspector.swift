public import Hummingbird
public import Strata

/// The web inspector of a container's stores: pages of tables, objects, queries, the model and the history, each as HTML and as JSON.
///
/// ```swift
/// let inspector = Inspector(container, options: InspectorOptions(path: "/inspector", hosts: .any))
/// inspector.addRoutes(to: router.group("inspector").add(middleware: OwnAuthentication()))
/// ```
/// It reads with a context of its own for each request. It writes only where its options have a token, and for requests that have the token. It may be
/// used from any thread.
public struct Inspector: Sendable {
    let container: PersistentContainer
    let options: InspectorOptions
    let links: Links
    let work: WorkLimit
    let listeners: WorkCount

    /// Creates the inspector of a container's stores.
    public init(_ container: PersistentContainer, options: InspectorOptions = InspectorOptions()) {
        self.container = container
        self.options = options
        links = Links(base: options.path)
        work = WorkLimit(most: options.greatestWork, time: options.timeLimit)
        listeners = WorkCount(most: options.greatestListeners)
    }

    /// Adds the pages to a router, or to a group of one; the path of the group is the one of the options.
    public func addRoutes(to router: some RouterMethods) {
        for path: RouterPath in ["", "**"] {
            router.on(path, method: .get) { request, context in await respond(to: request, at: context.parameters.getCatchAll()) }
            router.on(path, method: .head) { request, context in
                await respond(to: request, at: context.parameters.getCatchAll()).withoutBody
            }
            router.on(path, method: .post) { request, context in await respond(to: request, at: context.parameters.getCatchAll()) }
        }
    }

    /// Answers a request; errors are pages, too.
    ///
    /// - Parameter isRepeated: Whether the stores were opened again for it.
    func respond(to request: Request, at path: [Substring], isRepeated: Bool = false) async -> Response {
        let pageRequest = PageRequest(request, at: path)
        do {
            try RequestGuard(request).check(hosts: options.hosts)
            if request.method == .post { return try await write(request, pageRequest) }
            if let file = StaticFile(path) { return file.response }
            switch pageRequest.file {
            case "events": return try events(request)
            case "model.svg": return svg
            default: break
            }
            guard let name = pageRequest.name else { throw PageError(.notFound, "there is no such page") }
            if !isRepeated, options.isCurrent?() == false { throw StoreError(.replaced, .fetch, "the file of a store was replaced") }
            let page = try await work.run { try await self.page(name, pageRequest.values) }
            return response(page, to: pageRequest, name)
        } catch {
            if let reopen = options.reopen, PageError.needsOpening(error), !isRepeated {
                do { try await work.run { try reopen() } } catch { return response(PageError(error), to: pageRequest) }
                // A save may have been made.
                if request.method != .post { return await respond(to: request, at: path, isRepeated: true) }
            }
            return response(PageError(error), to: pageRequest)
        }
    }

    private func page(_ name: PageName, _ values: FormValues) async throws -> any Page {
        let reader = PageReader(container: container, options: options, links: links, values: values)
        return try await container.performBackgroundTask { context in
            // A page shows one state of the stores.
            try context.withSnapshot {
                switch name {
                case .overview: try OverviewPage(reader, context)
                case .table: try TablePage(reader, context)
                case .facets: try FacetPage(reader, context)
                case .object: try ObjectPage(reader, context)
                case .related: try RelatedPage(reader, context)
                case .query: try QueryPage(reader, context)
                case .model: ModelPage(reader)
                case .history: try HistoryPage(reader)
                case .transaction: try TransactionPage(reader)
                }
            }
        }
    }
}
