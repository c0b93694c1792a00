import CoreData
import Testing

@Suite("L4-f: order by a key path, and a filter in memory") @MainActor
struct L4fKeyPaths {
    @Test("They agree with keys and predicates", arguments: StoreKind.allCases)
    func keyPaths(_ kind: StoreKind) throws {
        let stack = try Users.stack(kind)
        let request = NSFetchRequest<User>(entityName: "User")
        request.sortDescriptors = [NSSortDescriptor(keyPath: \User.age, ascending: false)]
        let users = try stack.context.fetch(request)
        #expect(users.map(\.age) == [18, 16, 8, 6, 2])
        #expect(users.filter { $0.age < 10 }.map(\.id) == ["0003", "0002", "0001"])
        #expect(NSSortDescriptor(keyPath: \User.age, ascending: false).key == "age")
        // What libraries make predicates of key paths with.
        #expect((\User.age as AnyKeyPath)._kvcKeyPathString == "age")
        #expect((\User.age)._kvcKeyPathString == "age")
        request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
        #expect(try stack.context.fetch(request) == users)
    }

    /// Libraries make predicates of such properties, too, which have no sample value.
    @Test("Key paths of enumerations and transformable attributes have the names of their properties") func withoutSamples() {
        #expect((\Ticket.urgency)._kvcKeyPathString == "urgency")
        #expect(NSSortDescriptor(keyPath: \Ticket.urgency, ascending: true).key == "urgency")
        #expect(NSExpression(forKeyPath: \Ticket.tags).keyPath == "tags")
    }
}

enum Urgency: Int {
    case low = 1, high
}

final class Ticket: NSManagedObject {
    @NSManaged var urgency: Urgency
    @NSManaged var tags: [String]?
}
