import Strata
import StrataModel
import StrataStore
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: how often the server is asked", .server)
struct ServerRoundTripTests {
    let scratch: Scratch
    let model: ManagedObjectModel
    let coordinator: PersistentStoreCoordinator
    let store: PostgreSQLStore

    /// A store with three owners, who are friends of each other, of two pets each.
    init() throws {
        scratch = try Scratch()
        model = try Sample.model()
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(.postgreSQL(scratch.url, schema: scratch.schema, connections: 1))
        store = try #require(coordinator.stores.first as? PostgreSQLStore)
        let context = ManagedObjectContext(coordinator)
        let people = try ["a", "b", "c"].map { name in
            let object = try context.insert("Person")
            try object.setValue(name, forKey: "name")
            return object
        }
        for person in people {
            try person.setValue(Set(people.filter { $0 !== person }), forKey: "friends")
            for name in ["x", "y"] {
                let pet = try context.insert("Pet")
                try pet.setValue(name, forKey: "name")
                try pet.setValue(person, forKey: "owner")
            }
        }
        try context.save()
    }

    private func roundTrips(_ body: () throws -> Void) throws -> Int {
        func count(settling: Bool) throws -> Int {
            let connection = try store.pool.take(.fetch) { _ in }
            defer { store.pool.give(back: connection) }
            if settling { connection.readPending() }
            return connection.traffic.roundTrips
        }
        let before = try count(settling: true)
        try body()
        // What is not settled is the last transaction's end, which nobody waited for.
        return try count(settling: false) - before
    }

    @Test("A page with two prefetched relationships takes three round trips, the first time too")
    func page() throws {
        for _ in 0..<2 {
            let count = try roundTrips {
                let context = ManagedObjectContext(coordinator)
                var request = ObjectFetchRequest<ManagedObject>(entityName: "Person")
                request.limit = 2
                request.relationshipKeyPathsForPrefetching = ["pets", "friends"]
                let people = try context.fetch(request)
                #expect(people.count == 2)
                for person in people {
                    let pets = try #require(try person.value(forKey: "pets") as? [ManagedObject])
                    let friends = try #require(try person.value(forKey: "friends") as? Set<ManagedObject>)
                    let names = try (pets + Array(friends)).compactMap { try $0.value(forKey: "name") as? String }
                    #expect(names.count == 4)
                }
            }
            #expect(count == 3)
        }
    }

    @Test("Destinations along one and along many are read in one round trip each")
    func destinations() throws {
        let count = try roundTrips {
            let context = ManagedObjectContext(coordinator)
            var request = ObjectFetchRequest<ManagedObject>(entityName: "Pet")
            request.relationshipKeyPathsForPrefetching = ["owner"]
            let pets = try context.fetch(request)
            let owners = try pets.compactMap { try ($0.value(forKey: "owner") as? ManagedObject)?.value(forKey: "name") as? String }
            #expect(owners.count == 6)
        }
        #expect(count == 2)
    }

    // What was brought for objects on the way went with them, and was asked for again.
    @Test("A path of relationships takes a round trip for each step, also where nothing references the objects on the way")
    func path() throws {
        let count = try roundTrips {
            let context = ManagedObjectContext(coordinator)
            var request = ObjectFetchRequest<ManagedObject>(entityName: "Pet", try QueryPredicate(format: "name == 'x'"))
            request.relationshipKeyPathsForPrefetching = ["owner.friends.pets"]
            var names: [String] = []
            for pet in try context.fetch(request) {
                let owner = try #require(try pet.value(forKey: "owner") as? ManagedObject)
                let friends = try #require(try owner.value(forKey: "friends") as? Set<ManagedObject>)
                for friend in friends {
                    let pets = try #require(try friend.value(forKey: "pets") as? [ManagedObject])
                    names += try pets.compactMap { try $0.value(forKey: "name") as? String }
                }
            }
            #expect(names == (0..<6).flatMap { _ in ["x", "y"] })
        }
        #expect(count == 4)
    }

    @Test("Prefetched objects of a path of relationships are replaced by other saves, once these are merged")
    func mergedPath() throws {
        let context = ManagedObjectContext(coordinator)
        var request = ObjectFetchRequest<ManagedObject>(entityName: "Pet", try QueryPredicate(format: "name == 'x'"))
        request.relationshipKeyPathsForPrefetching = ["owner.friends.pets"]
        let pet = try #require(try context.fetch(request).first)
        let others = ManagedObjectContext(coordinator)
        let event = try others.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Person")).map(\.objectID)
        for id in event { try others.object(with: id).setValue([ManagedObject](), forKey: "pets") }
        try others.save()
        context.mergeChanges(fromRemoteContextSave: RemoteChanges(updated: event))
        let owner = try #require(try pet.value(forKey: "owner") as? ManagedObject)
        for friend in try #require(try owner.value(forKey: "friends") as? Set<ManagedObject>) {
            #expect(try (friend.value(forKey: "pets") as? [ManagedObject])?.count == 0)
        }
    }

    // Each of them was fetched, and deleted with the version that it had.
    @Test("Objects that nothing references are deleted by their IDs in one statement")
    func deletionByID() throws {
        let context = ManagedObjectContext(coordinator)
        let pets = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Pet")).map(\.objectID)
        var count = 0
        let trips = try roundTrips { count = try context.execute(BatchDeleteRequest(objectIDs: pets)).count }
        #expect(count == 6)
        // The deletion and the commit.
        #expect(trips == 2)
        #expect(try scratch.run("SELECT count(*) FROM \(scratch.schema).pet") == ["0"])
        #expect(try context.execute(BatchDeleteRequest(objectIDs: pets)).count == 0)
    }

    @Test("For objects that are deleted by a request, the referencing ones are fetched together", arguments: [2, 3])
    func referrers(count: Int) throws {
        let context = ManagedObjectContext(coordinator)
        let people = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Person")).prefix(count).map(\.objectID)
        let trips = try roundTrips { try context.execute(BatchDeleteRequest(objectIDs: people)) }
        // The rows, the pets of all, the deletion, the links, the pets' update, and the commit.
        #expect(trips == 6)
        #expect(try scratch.run("SELECT count(*) FROM \(scratch.schema).pet WHERE owner_id IS NULL") == ["\(2 * count)"])
    }

    @Test("For objects that are deleted together, their destinations are fetched together", arguments: [2, 3])
    func deletion(count: Int) throws {
        let context = ManagedObjectContext(coordinator)
        var request = ObjectFetchRequest<ManagedObject>(entityName: "Person")
        request.limit = count
        let people = try context.fetch(request)
        let trips = try roundTrips {
            for person in people { context.delete(person) }
            try context.processPendingChanges()
        }
        // The pets, their rows, and the friends.
        #expect(trips == 3)
        try context.save()
        #expect(try scratch.run("SELECT count(*) FROM \(scratch.schema).person_friends") == ["0"])
        #expect(try scratch.run("SELECT count(*) FROM \(scratch.schema).pet WHERE owner_id IS NULL") == ["\(2 * count)"])
    }

    // The core asked about one object after the other.
    @Test(
        "What the core decides takes a round trip for each relationship that it follows",
        arguments: [
            ("Person", "SUBQUERY(pets, $p, $p.name MATCHES '(?=x)x').@count > 0", 3, 2),
            ("Person", "ANY friends.pets.name MATCHES '(?=y)y'", 3, 3),
            ("Pet", "owner.name MATCHES '(?=b)b'", 2, 2), ("Pet", "ANY owner.friends.name MATCHES '(?=a)a'", 4, 3),
        ])
    func decidedInCore(_ entity: String, _ condition: String, _ expected: Int, _ expectedTrips: Int) throws {
        var count = 0
        let trips = try roundTrips {
            let request = ObjectFetchRequest<ManagedObject>(entityName: entity, try QueryPredicate(format: condition))
            count = try ManagedObjectContext(coordinator).fetch(request).count
        }
        #expect(count == expected)
        #expect(trips == expectedTrips)
    }

    @Test("What the core computes for a batch update takes a round trip for each relationship that it follows")
    func computedInCore() throws {
        for condition in ["name == 'x'", "name != nil"] {
            let name = try QueryExpression(format: "lowercase(owner.name)")
            var update = BatchUpdateRequest(entityName: "Pet", try QueryPredicate(format: condition), set: ["name": name])
            update.isCarriedOutInCore = true
            let trips = try roundTrips { try ManagedObjectContext(coordinator).execute(update) }
            // The pets, their owners, the update, and the commit.
            #expect(trips == 4)
        }
        #expect(try scratch.run("SELECT string_agg(name, '' ORDER BY name) FROM \(scratch.schema).pet") == ["aabbcc"])
    }

    // Those of one owner stand in the order of the relationship also where several owners are asked about.
    @Test("The first element of an ordered relationship is that of its owner")
    func firstElements() throws {
        let context = ManagedObjectContext(coordinator)
        let people = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Person", sort: [QuerySort("name")]))
        let pets = try #require(try people[1].value(forKey: "pets") as? [ManagedObject])
        try people[1].setValue(Array(pets.reversed()), forKey: "pets")
        try context.save()
        let request = ObjectFetchRequest<ManagedObject>(
            entityName: "Person", try QueryPredicate(format: "pets[FIRST].name MATCHES '(?=y)y'"))
        #expect(try ManagedObjectContext(coordinator).fetch(request).map(\.objectID) == [people[1].objectID])
    }

    @Test("A save of new objects takes one round trip")
    func saving() throws {
        let context = ManagedObjectContext(coordinator)
        // The first takes references from the sequence.
        _ = try context.insert("Pet")
        try context.save()
        let count = try roundTrips {
            for name in ["g", "h"] { try context.insert("Pet").setValue(name, forKey: "name") }
            try context.save()
        }
        #expect(count == 1)
    }

    @Test("Several statements of one read see one snapshot, each in a round trip of its own")
    func snapshot() throws {
        let pet = try #require(model.entity(named: "Pet"))
        var counts: [Int] = []
        let trips = try roundTrips {
            try store.read { reader in
                for _ in 0..<2 {
                    guard case .count(let count) = try reader.answer(FetchPlan(pet, .count)) else { continue }
                    counts.append(count)
                    try scratch.run("DELETE FROM \(scratch.schema).pet")
                }
            }
        }
        #expect(counts == [6, 6])
        #expect(trips == 2)
    }
}
