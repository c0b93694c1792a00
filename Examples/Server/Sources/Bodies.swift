import Foundation
import Hummingbird

// What clients send and get: values, which may leave the block of a context. Objects may not.

struct NewProject: Decodable { var name: String }

struct ProjectBody: ResponseCodable, Equatable {
    var key: UUID
    var name: String

    init(_ project: Project) { (key, name) = (project.key, project.name) }
}

struct NewTicket: Decodable {
    var title: String
    var text: String?
}

struct TicketChange: Decodable {
    var title: String?
    var text: String?
    var state: Ticket.State?
}

struct TicketBody: ResponseCodable, Equatable {
    var key: UUID
    var created: Date
    var title: String
    var text: String
    var state: Ticket.State
    var project: UUID?

    init(_ ticket: Ticket) {
        (key, created, title, text, state) = (ticket.key, ticket.created, ticket.title, ticket.text, ticket.state)
        project = ticket.project?.key
    }
}
