import Foundation
import Hummingbird
import Strata
import StrataTesting
import Testing

@testable import Server

/// The routes over a store in memory.
struct RouteTests {
    let container: PersistentContainer

    init() throws {
        container = try PersistentContainer(inMemory: Project.self)
    }

    func test(_ body: (Client) async throws -> Void) async throws {
        try await withServer(container, ChangeFeed(container), body)
    }

    @Test("What is created is shown and listed")
    func creation() async throws {
        try await test { client in
            let project = try await client.send(.post, "/projects", #"{"name":"Strata"}"#, .created, ProjectBody.self)
            let path = "/projects/\(project.key)"
            let ticket = try await client.send(.post, "\(path)/tickets", #"{"title":"Docs","text":"more"}"#, .created, TicketBody.self)
            #expect(ticket.project == project.key)
            #expect(try await client.send(.get, path, nil, .ok, ProjectBody.self) == project)
            #expect(try await client.send(.get, "/tickets/\(ticket.key)", nil, .ok, TicketBody.self) == ticket)
            #expect(try await client.send(.get, "\(path)/tickets", nil, .ok, Page<TicketBody>.self).items == [ticket])
        }
    }

    @Test("The health is good while the stores are open, and bad once they are closed")
    func health() async throws {
        try await test { client in
            try await client.expect(.get, "/health", nil, .ok)
            try container.close()
            try await client.expect(.get, "/health", nil, .serviceUnavailable)
        }
    }

    @Test("Pages continue one another without gaps, also where dates are equal")
    func pages() async throws {
        let project = try await container.performBackgroundTask { context in
            let project = Project(name: "Strata")
            context.insert(project)
            for number in 0..<25 {
                let ticket = Ticket(title: "\(number)", text: "")
                ticket.created = Date(timeIntervalSinceReferenceDate: 0.1 * Double(number / 10))
                ticket.state = number % 5 == 0 ? .closed : .open
                ticket.project = project
            }
            try context.save()
            return project.key
        }
        try await test { client in
            let path = "/projects/\(project)/tickets?limit=4"
            var pages: [[TicketBody]] = []
            var next: String? = ""
            while let after = next {
                let page = try await client.send(.get, path + (after.isEmpty ? "" : "&after=\(after)"), nil, .ok, Page<TicketBody>.self)
                pages.append(page.items)
                next = page.next
            }
            #expect(pages.map(\.count) == [4, 4, 4, 4, 4, 4, 1])
            #expect(Set(pages.joined().map(\.title)).count == 25)
            let closed = try await client.send(.get, path + "&state=closed", nil, .ok, Page<TicketBody>.self)
            #expect(closed.items.count == 4)
            #expect(closed.next != nil)
        }
    }

    @Test(
        "A page that is not possible is a bad request",
        arguments: ["limit=0", "limit=101", "limit=x", "limit=", "after=x", "after=1_2", "after=_", "state=lost"])
    func badPages(_ query: String) async throws {
        let key = try await container.performBackgroundTask { context in
            let project = Project(name: "Strata")
            context.insert(project)
            try context.save()
            return project.key
        }
        try await test { client in
            try await client.expect(.get, "/projects/\(key)/tickets?\(query)", nil, .badRequest)
        }
    }

    @Test("A change changes what it names alone")
    func changes() async throws {
        try await test { client in
            let project = try await client.send(.post, "/projects", #"{"name":"Strata"}"#, .created, ProjectBody.self)
            let tickets = "/projects/\(project.key)/tickets"
            var ticket = try await client.send(.post, tickets, #"{"title":"Docs","text":"more"}"#, .created, TicketBody.self)
            let changed = try await client.send(.patch, "/tickets/\(ticket.key)", #"{"state":"closed"}"#, .ok, TicketBody.self)
            ticket.state = .closed
            #expect(changed == ticket)
        }
    }

    @Test("A deleted project takes its tickets along")
    func deletion() async throws {
        try await test { client in
            let project = try await client.send(.post, "/projects", #"{"name":"Strata"}"#, .created, ProjectBody.self)
            let ticket = try await client.send(
                .post, "/projects/\(project.key)/tickets", #"{"title":"Docs"}"#, .created, TicketBody.self)
            try await client.expect(.delete, "/projects/\(project.key)", nil, .noContent)
            try await client.expect(.get, "/tickets/\(ticket.key)", nil, .notFound)
            try await client.expect(.delete, "/projects/\(project.key)", nil, .notFound)
        }
    }

    @Test("Values that break a rule are unprocessable, and the answer names the field")
    func validation() async throws {
        try await test { client in
            let answer = try await client.expect(.post, "/projects", #"{"name":""}"#, .unprocessableContent)
            #expect(answer.contains(#""name":"#))
            #expect(!answer.contains("x-coredata"))
            try await client.expect(.post, "/projects", #"{"title":"Strata"}"#, .badRequest)
            try await client.expect(.post, "/projects", "no JSON", .badRequest)
            try await client.expect(.get, "/projects/7", nil, .badRequest)
            #expect(try await client.send(.get, "/projects", nil, .ok, Page<ProjectBody>.self).items.isEmpty)
        }
    }

    @Test("A name that another project has is a conflict")
    func names() async throws {
        try await test { client in
            try await client.expect(.post, "/projects", #"{"name":"Strata"}"#, .created)
            let answer = try await client.expect(.post, "/projects", #"{"name":"Strata"}"#, .conflict)
            #expect(answer.contains("the value is taken"))
        }
    }

    @Test("Errors of the stores have the status that tells a client what to do")
    func statuses() {
        #expect(status(of: StoreError(.locked, .save, "locked")) == .serviceUnavailable)
        #expect(status(of: StoreError(.closed, .save, "closed")) == .serviceUnavailable)
        #expect(status(of: StoreError(.corrupt, .fetch, "corrupt")) == .internalServerError)
    }
}
