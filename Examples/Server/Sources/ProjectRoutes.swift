import Foundation
import Hummingbird
import Strata

/// `/projects`: each request has a context of its own, which reads one state of the store and is released with the request.
struct ProjectRoutes: Sendable {
    let container: PersistentContainer

    func add(to router: Router<BasicRequestContext>) {
        router.group("projects")
            .get(use: list)
            .post(use: create)
            .get(":project", use: show)
            .delete(":project", use: delete)
    }

    @Sendable func list(_ request: Request, _: BasicRequestContext) async throws -> Page<ProjectBody> {
        let query = try PageQuery(request)
        return try await container.performBackgroundTask { context in
            let projects = try context.fetch(
                Project.self, where: query.after.map { Project.name > $0 }, sort: [Project.name.ascending], limit: query.limit + 1)
            return query.page(projects, ProjectBody.init, cursor: \.name)
        }
    }

    @Sendable func create(_ request: Request, _ requestContext: BasicRequestContext) async throws -> EditedResponse<ProjectBody> {
        let new = try await request.decode(as: NewProject.self, context: requestContext)
        let body = try await container.performBackgroundTask { context in
            let project = Project(name: new.name)
            context.insert(project)
            try context.save()
            return ProjectBody(project)
        }
        return EditedResponse(status: .created, response: body)
    }

    @Sendable func show(_: Request, _ requestContext: BasicRequestContext) async throws -> ProjectBody {
        let key = try requestContext.parameters.require("project", as: UUID.self)
        return try await container.performBackgroundTask { context in ProjectBody(try context.object(Project.self, key)) }
    }

    /// Deletes a project; the delete rule of the model takes its tickets along.
    @Sendable func delete(_: Request, _ requestContext: BasicRequestContext) async throws -> HTTPResponse.Status {
        let key = try requestContext.parameters.require("project", as: UUID.self)
        try await container.performBackgroundTask { context in
            context.delete(try context.object(Project.self, key))
            try context.save()
        }
        return .noContent
    }
}

extension ManagedObjectContext {
    /// The object that a client names by its key.
    func object<T: Keyed>(_ type: T.Type, _ key: UUID) throws -> T {
        guard let object = try first(type, where: Key<UUID>("key") == key) else { throw HTTPError(.notFound) }
        return object
    }
}
