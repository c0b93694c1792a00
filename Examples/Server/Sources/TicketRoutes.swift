import Foundation
import Hummingbird
import Strata

/// `/projects/:project/tickets` and `/tickets`.
struct TicketRoutes: Sendable {
    let container: PersistentContainer

    func add(to router: Router<BasicRequestContext>) {
        router.group("projects/:project/tickets")
            .get(use: list)
            .post(use: create)
        router.group("tickets/:ticket")
            .get(use: show)
            .patch(use: change)
            .delete(use: delete)
    }

    @Sendable func list(_ request: Request, _ requestContext: BasicRequestContext) async throws -> Page<TicketBody> {
        let query = try PageQuery(request)
        let cursor = try query.after.map { try TicketCursor($0) }
        let state = try request.uri.queryParameters.get("state").map { _ in
            try request.uri.queryParameters.require("state", as: Ticket.State.self)
        }
        let key = try requestContext.parameters.require("project", as: UUID.self)
        return try await container.performBackgroundTask { context in
            var condition = Ticket.project == (try context.object(Project.self, key))
            if let cursor { condition = condition && cursor.isAfter }
            if let state { condition = condition && Ticket.state == state }
            let tickets = try context.fetch(
                Ticket.self, where: condition, sort: [Ticket.created.ascending, Ticket.key.ascending], limit: query.limit + 1)
            return query.page(tickets, TicketBody.init) { TicketCursor($0).text }
        }
    }

    @Sendable func create(_ request: Request, _ requestContext: BasicRequestContext) async throws -> EditedResponse<TicketBody> {
        let key = try requestContext.parameters.require("project", as: UUID.self)
        let new = try await request.decode(as: NewTicket.self, context: requestContext)
        let body = try await container.performBackgroundTask { context in
            let ticket = Ticket(title: new.title, text: new.text ?? "")
            ticket.project = try context.object(Project.self, key)
            try context.save()
            return TicketBody(ticket)
        }
        return EditedResponse(status: .created, response: body)
    }

    @Sendable func show(_: Request, _ requestContext: BasicRequestContext) async throws -> TicketBody {
        let key = try requestContext.parameters.require("ticket", as: UUID.self)
        return try await container.performBackgroundTask { context in TicketBody(try context.object(Ticket.self, key)) }
    }

    @Sendable func change(_ request: Request, _ requestContext: BasicRequestContext) async throws -> TicketBody {
        let key = try requestContext.parameters.require("ticket", as: UUID.self)
        let change = try await request.decode(as: TicketChange.self, context: requestContext)
        return try await container.performBackgroundTask { context in
            let ticket = try context.object(Ticket.self, key)
            if let title = change.title { ticket.title = title }
            if let text = change.text { ticket.text = text }
            if let state = change.state { ticket.state = state }
            try context.save()
            return TicketBody(ticket)
        }
    }

    @Sendable func delete(_: Request, _ requestContext: BasicRequestContext) async throws -> HTTPResponse.Status {
        let key = try requestContext.parameters.require("ticket", as: UUID.self)
        try await container.performBackgroundTask { context in
            context.delete(try context.object(Ticket.self, key))
            try context.save()
        }
        return .noContent
    }
}
