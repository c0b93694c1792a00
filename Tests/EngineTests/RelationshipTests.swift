import StrataEngine
import StrataModel
import StrataStore
import Testing

@testable import StrataEngine

@Suite("Relationships in tables")
struct RelationshipTests: CompanySuite {
    let tables: CompanyTables

    init() throws { tables = try CompanyTables() }

    private func destinations(_ entity: String, _ relationship: String, _ owner: Int64) throws -> [Int64] {
        let relationship = try #require(company.entity(entity).relationship(named: relationship))
        return try engine.read { try $0.destinations(of: relationship, owner: owner) }.map(\.reference)
    }

    private func table(_ entity: String, _ relationship: String) throws -> (table: Int, side: LinkSide) {
        guard case .links(let table, let side)? = try company.entity(entity).relationship(named: relationship)?.storage else {
            throw StoreError(.unknownKey, .fetch, "not in a link table")
        }
        return (table, side)
    }

    /// A link of a person and a project, with the person's place in the project.
    private func membership(_ person: Int64, _ project: Int64, index: OrderKey? = nil) throws -> Link {
        let (_, side) = try table("Project", "members")
        return side == .first
            ? Link(first: project, second: person, orderInFirst: index) : Link(first: person, second: project, orderInSecond: index)
    }

    private func change(_ kind: LinkChange.Kind, _ link: Link) throws -> LinkChange {
        LinkChange(table: try table("Project", "members").table, kind: kind, link: link)
    }

    @Test("The destinations of a to-many relationship are the rows that name the owner, by reference, with their own entities")
    func inverse() throws {
        try engine.save { changes in
            changes.inserted = [
                try company.row("Department", 1), try company.row("Department", 2),
                try company.row("Person", 12, ["department": 1]), try company.row("Employee", 11, ["department": 1]),
                try company.row("Person", 10, ["department": 2]), try company.row("Person", 13),
            ]
        }
        #expect(try destinations("Department", "staff", 1) == [11, 12])
        let staff = try #require(company.entity("Department").relationship(named: "staff"))
        let first = try engine.read { try $0.destinations(of: staff, owner: 1) }.first
        #expect(first?.entity == (try company.entity("Employee").index))
        try engine.save { $0.updated = [company.update(try company.row("Person", 12, version: 2, ["department": 2]))] }
        #expect(try destinations("Department", "staff", 1) == [11])
        #expect(try destinations("Department", "staff", 2) == [10, 12])
        #expect(try destinations("Department", "staff", 3).isEmpty)
    }

    @Test("The destinations of an ordered relationship come in their order, then by reference, and only of the destination entity")
    func orderedInverse() throws {
        try engine.save { changes in
            changes.inserted = [
                try company.row("Department", 1),
                try company.row("Employee", 5, ["board": 1, "boardOrder": 1024]),
                try company.row("Employee", 6, ["board": 1, "boardOrder": 512]),
                try company.row("Employee", 4, ["board": 1, "boardOrder": 1024]),
                try company.row("Person", 3, ["board": 1, "boardOrder": 1]),
            ]
        }
        #expect(try destinations("Department", "directors", 1) == [6, 4, 5])
    }

    @Test("Links are found from both sides, each in its order")
    func links() throws {
        try engine.save { changes in
            changes.inserted = try (1...3).map { try company.row("Person", $0) } + [company.row("Project", 1), company.row("Project", 2)]
            changes.links = [
                try change(.put, membership(1, 1, index: 3072)), try change(.put, membership(2, 1, index: 1024)),
                try change(.put, membership(3, 1, index: 2048)), try change(.put, membership(3, 2, index: 1024)),
            ]
        }
        #expect(try destinations("Project", "members", 1) == [2, 3, 1])
        #expect(try destinations("Person", "projects", 3) == [1, 2])
        #expect(try destinations("Person", "projects", 9).isEmpty)
    }

    @Test("Putting a link again changes the orders that are given and keeps the others")
    func linkOrder() throws {
        try engine.save { changes in
            changes.inserted = [try company.row("Person", 1), try company.row("Person", 2), try company.row("Project", 1)]
            changes.links = [
                try change(.put, membership(1, 1, index: 1024)), try change(.put, membership(2, 1, index: 2048)),
            ]
        }
        try engine.save { $0.links = [try change(.put, membership(1, 1))] }
        #expect(try destinations("Project", "members", 1) == [1, 2])
        try engine.save { $0.links = [try change(.put, membership(1, 1, index: 4096))] }
        #expect(try destinations("Project", "members", 1) == [2, 1])
        try engine.save { $0.links = [try change(.remove, membership(2, 1)), try change(.remove, membership(2, 7))] }
        #expect(try destinations("Project", "members", 1) == [1])
    }

    @Test("Deleting a row removes its links on either side")
    func deletion() throws {
        let (people, projects) = (try company.entity("Person").index, try company.entity("Project").index)
        let friends = try table("Person", "friends").table
        try engine.save { changes in
            changes.inserted = try (1...3).map { try company.row("Person", $0) } + [company.row("Project", 1)]
            changes.links = [
                try change(.put, membership(1, 1, index: 1)), try change(.put, membership(2, 1, index: 2)),
                LinkChange(table: friends, kind: .put, link: Link(first: 1, second: 2)),
                LinkChange(table: friends, kind: .put, link: Link(first: 2, second: 1)),
                LinkChange(table: friends, kind: .put, link: Link(first: 2, second: 3)),
                LinkChange(table: friends, kind: .put, link: Link(first: 3, second: 2)),
            ]
        }
        #expect(try destinations("Person", "friends", 2) == [1, 3])
        try engine.save { $0.deleted = [RowDeletion(entity: people, reference: 1, expectedVersion: 1)] }
        #expect(try destinations("Person", "friends", 2) == [3])
        #expect(try destinations("Project", "members", 1) == [2])
        try engine.save { $0.deleted = [RowDeletion(entity: projects, reference: 1, expectedVersion: 1)] }
        #expect(try destinations("Person", "projects", 2).isEmpty)
        let left = try engine.read { try $0.links(of: company.model.linkTables[friends]) }
        #expect(Set(left) == [Link(first: 2, second: 3), Link(first: 3, second: 2)])
    }
}
