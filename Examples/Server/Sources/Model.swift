import Foundation
import Strata

@Model final class Project: ManagedObject {
    #Unique<Project>([\.key], [\.name])

    @Attribute(.preserveValueOnDeletion) var key = UUID()
    @Attribute(.validation(.length(1...100))) var name: String
    @Relationship(deleteRule: .cascade, inverse: \Ticket.project) var tickets: [Ticket] = []

    init(name: String) { self.name = name }
}

@Model final class Ticket: ManagedObject {
    #Unique<Ticket>([\.key])
    #Index<Ticket>([\.project, \.created, \.key])

    @Attribute(.preserveValueOnDeletion) var key = UUID()
    var created = Date()
    @Attribute(.validation(.length(1...200))) var title: String
    @Attribute(.validation(.length(0...10_000))) var text: String
    var state: State = .open
    var project: Project?

    init(title: String, text: String) { (self.title, self.text) = (title, text) }

    enum State: String, Codable, ValueConvertible { case open, closed }
}

/// An object with a key by which clients name it.
protocol Keyed: PersistentModel {
    var key: UUID { get }
}

extension Project: Keyed {}
extension Ticket: Keyed {}
