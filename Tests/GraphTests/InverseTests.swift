import Strata
import Testing

@Suite("Inverse relationships")
struct InverseTests {
    private let context: ManagedObjectContext
    private let (ann, bob, cid): (Person, Person, Person)

    /// The same graph, as objects that were never saved, or as saved ones of a context that starts with faults.
    init() throws {
        context = try Zoo.context()
        (ann, bob, cid) = (context.person("Ann"), context.person("Bob"), context.person("Cid"))
    }

    /// Runs a test with new objects, and again with saved ones whose relationships are not loaded.
    private func newAndSaved(_ body: (ManagedObjectContext, Person, Person, Person) throws -> Void) throws {
        try body(context, ann, bob, cid)
        context.rollback()
        let fresh = try Zoo.context()
        let people = [fresh.person("Ann"), fresh.person("Bob"), fresh.person("Cid")]
        try fresh.save()
        let other = fresh.sibling()
        try body(other, other.here(people[0]), other.here(people[1]), other.here(people[2]))
    }

    @Test("One to one: the new partner leaves its old one, who is left alone")
    func oneToOne() throws {
        try newAndSaved { context, ann, bob, _ in
            let (first, second) = (Passport(context: context), Passport(context: context))
            ann[Person.passport] = first
            #expect(first[Passport.owner] === ann)
            second[Passport.owner] = bob
            #expect(bob[Person.passport] === second)
            bob[Person.passport] = first
            #expect(first[Passport.owner] === bob)
            #expect(ann[Person.passport] == nil)
            #expect(second[Passport.owner] == nil)
            first[Passport.owner] = nil
            #expect(bob[Person.passport] == nil)
        }
    }

    @Test("A one to one relationship that is its own inverse is symmetrical")
    func selfInverseToOne() throws {
        try newAndSaved { _, ann, bob, cid in
            ann[Person.spouse] = bob
            #expect(bob[Person.spouse] === ann)
            cid[Person.spouse] = bob
            #expect(bob[Person.spouse] === cid)
            #expect(ann[Person.spouse] == nil)
            #expect(cid[Person.spouse] === bob)
            cid[Person.spouse] = cid
            #expect(cid[Person.spouse] === cid)
            #expect(bob[Person.spouse] == nil)
            cid[Person.spouse] = nil
            #expect(cid[Person.spouse] == nil)
        }
    }

    @Test("One to many: a member has one owner, whichever side is set")
    func oneToMany() throws {
        try newAndSaved { context, ann, bob, _ in
            let (rex, tom) = (Pet(context: context), Pet(context: context))
            rex[Pet.owner] = ann
            ann.add(tom, to: Person.pets)
            #expect(ann[Person.pets] == [rex, tom])
            #expect(tom[Pet.owner] === ann)
            bob[Person.pets] = [rex]
            #expect(rex[Pet.owner] === bob)
            #expect(ann[Person.pets] == [tom])
            ann[Person.pets] = []
            #expect(tom[Pet.owner] == nil)
            bob.remove(tom, from: Person.pets)
            bob.remove(rex, from: Person.pets)
            #expect(bob[Person.pets].isEmpty)
            #expect(rex[Pet.owner] == nil)
        }
    }

    @Test("One to many, ordered: members keep their places, and a new one comes last or where it is put")
    func ordered() throws {
        try newAndSaved { context, ann, bob, _ in
            let jobs = (0..<4).map { _ in Job(context: context) }
            for job in jobs[..<3] { job[Job.person] = ann }
            #expect(ann[Person.tasks] == Array(jobs[..<3]))
            ann.add(jobs[3], to: Person.tasks, at: 1)
            #expect(ann[Person.tasks] == [jobs[0], jobs[3], jobs[1], jobs[2]])
            #expect(jobs[3][Job.person] === ann)
            ann.add(jobs[0], to: Person.tasks, at: 99)
            #expect(ann[Person.tasks] == [jobs[3], jobs[1], jobs[2], jobs[0]])
            bob[Person.tasks] = [jobs[2], jobs[3], jobs[2]]
            #expect(bob[Person.tasks] == [jobs[2], jobs[3]])
            #expect(ann[Person.tasks] == [jobs[1], jobs[0]])
            ann[Person.tasks].reverse()
            #expect(ann[Person.tasks] == [jobs[0], jobs[1]])
            ann.remove(jobs[0], from: Person.tasks)
            #expect(ann[Person.tasks] == [jobs[1]])
            #expect(jobs[0][Job.person] == nil)
        }
    }

    @Test("Many to many: both sides know, and only once")
    func manyToMany() throws {
        try newAndSaved { context, ann, bob, _ in
            let (x, y) = (Tag(context: context), Tag(context: context))
            ann[Person.tags] = [x, y]
            x.add(bob, to: Tag.people)
            x.add(bob, to: Tag.people)
            #expect(x[Tag.people] == [ann, bob])
            #expect(y[Tag.people] == [ann])
            #expect(bob[Person.tags] == [x])
            y[Tag.people] = []
            #expect(ann[Person.tags] == [x])
            bob.remove(x, from: Person.tags)
            #expect(x[Tag.people] == [ann])
        }
    }

    @Test("Many to many, ordered on both sides: each side has its own order")
    func orderedManyToMany() throws {
        try newAndSaved { context, ann, bob, _ in
            let (x, y) = (Club(context: context), Club(context: context))
            x[Club.members] = [bob, ann]
            y[Club.members] = [ann, bob]
            bob.add(y, to: Person.clubs, at: 0)
            #expect(bob[Person.clubs] == [y, x])
            #expect(ann[Person.clubs] == [x, y])
            #expect(y[Club.members] == [ann, bob])
            ann[Person.clubs] = [y]
            #expect(x[Club.members] == [bob])
        }
    }

    @Test("A many to many relationship that is its own inverse is symmetrical")
    func selfInverseToMany() throws {
        try newAndSaved { _, ann, bob, cid in
            ann[Person.friends] = [bob, cid]
            #expect(bob[Person.friends] == [ann])
            #expect(cid[Person.friends] == [ann])
            bob.remove(ann, from: Person.friends)
            #expect(ann[Person.friends] == [cid])
            #expect(bob[Person.friends].isEmpty)
            ann.add(ann, to: Person.friends)
            #expect(ann[Person.friends] == [cid, ann])
            ann.remove(ann, from: Person.friends)
            #expect(ann[Person.friends] == [cid])
        }
    }

    @Test("A relationship within one entity distinguishes its two ends")
    func reflexive() throws {
        try newAndSaved { _, ann, bob, cid in
            bob[Person.parent] = ann
            ann.add(cid, to: Person.children)
            #expect(ann[Person.children] == [bob, cid])
            #expect(cid[Person.parent] === ann)
            #expect(ann[Person.parent] == nil)
            cid[Person.parent] = bob
            #expect(ann[Person.children] == [bob])
            #expect(bob[Person.children] == [cid])
        }
    }

    @Test("A to-one relationship without inverse affects no other object, and a to-many one gives each destination one owner")
    func inverseless() throws {
        try newAndSaved { context, ann, bob, _ in
            ann[Person.idol] = bob
            #expect(!bob.isUpdated)
            #expect(bob.changedValues()["idol"] == nil)
            let rex = Pet(context: context)
            ann.add(rex, to: Person.favourites)
            #expect(ann[Person.favourites] == [rex])
            bob[Person.favourites] = [rex]
            #expect(bob[Person.favourites] == [rex])
            #expect(ann[Person.favourites].isEmpty)
        }
    }

    @Test("Every kind of relationship is as it was after a save, seen from another context")
    func roundTrip() throws {
        let (rex, passport, tag) = (Pet(context: context), Passport(context: context), Tag(context: context))
        let jobs = (0..<3).map { _ in Job(context: context) }
        let clubs = (0..<2).map { _ in Club(context: context) }
        ann[Person.spouse] = bob
        ann[Person.passport] = passport
        ann[Person.pets] = [rex]
        ann[Person.tasks] = [jobs[2], jobs[0], jobs[1]]
        ann[Person.tags] = [tag]
        for club in clubs { club[Club.members] = [cid, ann] }
        ann[Person.clubs].reverse()
        ann[Person.friends] = [bob, ann]
        ann[Person.children] = [cid]
        ann[Person.favourites] = [rex]
        ann[Person.idol] = ann
        try context.save()
        let other = context.sibling()
        let there = try other.here(ann)
        func ids(_ objects: some Sequence<ManagedObject>) -> [ObjectID] { objects.map(\.objectID) }
        #expect(there[Person.spouse]?.objectID == bob.objectID)
        #expect(there[Person.passport]?.objectID == passport.objectID)
        #expect(Set(ids(there[Person.pets])) == [rex.objectID])
        #expect(Set(ids(there[Person.favourites])) == [rex.objectID])
        #expect(ids(there[Person.tasks]) == [jobs[2], jobs[0], jobs[1]].map(\.objectID))
        #expect(Set(ids(there[Person.tags])) == [tag.objectID])
        #expect(Set(ids(there[Person.friends])) == [bob.objectID, ann.objectID])
        #expect(ids(there[Person.clubs]) == [clubs[1], clubs[0]].map(\.objectID))
        #expect(ids(try other.here(clubs[0])[Club.members]) == [cid, ann].map(\.objectID))
        #expect(Set(ids(there[Person.children])) == [cid.objectID])
        #expect(there[Person.idol] === there)
        #expect(try other.here(bob)[Person.friends] == [there])
        #expect(try other.here(bob)[Person.spouse] === there)
    }

    @Test("Objects of another context or entity cannot be related")
    func unrelated() throws {
        let stranger = context.sibling().person("Stranger")
        let tag = Tag(context: context)
        for (key, value) in [("spouse", stranger), ("spouse", tag)] as [(String, ManagedObject)] {
            let error = #expect(throws: StoreError.self) { try ann.setValue(value, forKey: key) }
            #expect(error?.code == .wrongValue)
            #expect(error?.key == key)
        }
        #expect(throws: StoreError.self) { try ann.setValue([stranger], forKey: "friends") }
        #expect(ann[Person.spouse] == nil)
        #expect(ann[Person.friends].isEmpty)
    }
}
