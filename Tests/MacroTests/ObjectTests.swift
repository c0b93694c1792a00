#if Macros
    import Foundation
    import Strata
    import StrataSQLite
    import StrataTestSupport
    import Testing

    @MainActor @Suite("Objects of Swift classes")
    struct ClassObjectTests {
        private let directory: TemporaryDirectory

        init() throws { directory = try TemporaryDirectory() }

        private func container(_ store: TestStore) throws -> PersistentContainer {
            try PersistentContainer(for: Owner.self, stores: [store.description(in: directory.path)])
        }

        private func filled(_ store: TestStore) throws -> PersistentContainer {
            let container = try container(store)
            let ada = Owner("Ada", email: "ada@example.org")
            ada.age = 36
            ada.tags = ["first", "kind"]
            ada.address.street = "Main Street"
            ada.summerHouse = Address(street: "Beach", number: 7)
            let rex = Animal(name: "Rex")
            rex.size = .large
            ada.animals = [rex, Animal(name: "Tom", species: .cat)]
            ada.visits = [Visit(reason: "cough", patron: ada), Visit(reason: "check", patron: ada)]
            container.viewContext.insert(ada)
            try container.viewContext.save()
            return container
        }

        @Test(
            "What an object was made with before it was inserted is saved, and what it leads to", arguments: [TestStore.inMemory, .sqlite])
        func graph(_ store: TestStore) throws {
            let context = ManagedObjectContext(try filled(store).coordinator)
            let ada = try #require(try context.fetch(ObjectFetchRequest<Owner>()).first)
            #expect(ada.name == "Ada")
            #expect(ada.age == 36)
            #expect(ada.email == "ada@example.org")
            #expect(ada.city == "Rome")
            #expect(ada.tags == ["first", "kind"])
            #expect(ada.address == Address(street: "Main Street", number: 0))
            #expect(ada.summerHouse == Address(street: "Beach", number: 7))
            #expect(abs(ada.since.timeIntervalSinceNow) < 600)
            #expect(Set(ada.animals.map(\.name)) == ["Rex", "Tom"])
            #expect(ada.animals.allSatisfy { $0.owner === ada })
            #expect(ada.visits.map(\.reason) == ["cough", "check"])
            #expect(ada.visits.allSatisfy { $0.patron === ada })
            let tom = try #require(ada.animals.first { $0.name == "Tom" })
            #expect(tom.species == .cat)
            #expect(tom.second == nil)
            #expect(tom.size == .small)
            #expect(!ada.isShown)
            #expect(ada.animals.first { $0.name == "Rex" }?.size == .large)
            #expect(!context.hasChanges)
        }

        @Test("Keys, key paths and predicates ask for properties", arguments: [TestStore.inMemory, .sqlite])
        func queries(_ store: TestStore) throws {
            let context = try filled(store).viewContext
            func names(_ condition: ObjectPredicate<Animal>) throws -> [String] {
                try context.fetch(ObjectFetchRequest<Animal>(condition, sort: [Animal.name.ascending])).map(\.name)
            }
            #expect(try names(Animal.species == .cat) == ["Tom"])
            #expect(try names(\Animal.species == .dog) == ["Rex"])
            #expect(try names(\Animal.species != .dog && \Animal.name == "Tom") == ["Tom"])
            #expect(try names(Animal.second == nil) == ["Rex", "Tom"])
            #expect(try names(Animal.owner.appending(Owner.age) > 30) == ["Rex", "Tom"])
            #expect(try names(ObjectPredicate(#Predicate<Animal> { $0.name == "Rex" })) == ["Rex"])
            #expect(try context.count(for: ObjectFetchRequest<Owner>(\Owner.city == "Rome" && Owner.name == "Ada")) == 1)
            #expect(try context.count(for: ObjectFetchRequest<Party>(Party.name == "Ada")) == 1)
        }

        @Test("Enumerations that are only Codable, and Codable values, are compared by what is kept", arguments: TestStore.allCases)
        func codableConditions(_ store: TestStore) throws {
            let context = try filled(store).viewContext
            func animals(_ condition: ObjectPredicate<Animal>) throws -> Set<String> {
                Set(try context.fetch(ObjectFetchRequest(condition)).map(\.name))
            }
            func owners(_ condition: ObjectPredicate<Owner>) throws -> Int { try context.count(for: ObjectFetchRequest(condition)) }
            #expect(try animals(Animal.size == .large) == ["Rex"])
            #expect(try animals(Animal.size != .large) == ["Tom"])
            #expect(try animals(Animal.size.isIn([.small, .large])) == ["Rex", "Tom"])
            #expect(try animals(Animal.owner.appending(Owner.city) == "Rome" && !(Animal.size == .small)) == ["Rex"])
            #expect(try owners(Owner.address == Address(street: "Main Street", number: 0)) == 1)
            #expect(try owners(Owner.address != Address(street: "Main Street", number: 0)) == 0)
            #expect(try owners(Owner.summerHouse == Address(street: "Beach", number: 7)) == 1)
            #expect(try owners(Owner.summerHouse == nil) == 0)
            #expect(try owners(Owner.summerHouse.isIn([nil, Address()])) == 0)
            #expect(try owners(Owner.tags == ["first", "kind"]) == 1)
            #expect(try owners(Owner.tags == ["kind", "first"]) == 0)
        }

        /// A condition is one on objects of the class where the compiler takes it for that.
        private func isOnOwners(_ condition: ObjectPredicate<Owner>) -> Bool { true }
        @_disfavoredOverload
        private func isOnOwners(_ condition: some QueryCondition) -> Bool { false }

        @Test("Key paths know their class: a fetch of one class takes no condition on another")
        func classes() {
            #expect(isOnOwners(Owner.city == "Rome" && (Owner.animals).isEmpty))
            #expect(isOnOwners(Owner.name == "Ada"), "an inherited property")
            #expect(isOnOwners((Owner.animals).any(Animal.name == "Rex") || Owner.city.length > 3))
            #expect(isOnOwners(Owner.age == 3 && key("city") == "Rome"), "a name is of any class")
            #expect(!isOnOwners(Animal.name == "Rex"))
            #expect(!isOnOwners(Party.name == "Ada"))
            #expect(!isOnOwners(Animal.name.lowercased.length > 3))
            #expect(!isOnOwners((Animal.friends).isEmpty))
            #expect(!isOnOwners(Animal.owner == nil))
            #expect(!isOnOwners(Animal.owner.appending(Owner.city) == "Rome"))
            #expect(!isOnOwners(Animal.size == .small))
            #expect(type(of: Animal.name.ascending) == ObjectSort<Animal>.self)
        }

        // An initialiser that assigned without `self.` before it called the parent's did not compile.
        @Test("An initialiser assigns before it calls the parent's, with or without self, under conditions too")
        func initializers() {
            let (old, young) = (Vet("Ada", years: 9), Vet("Bob", years: 1))
            #expect(old.title == "Dr. Ada")
            #expect(old.years == 9)
            #expect(old.name == "Ada")
            #expect(young.title == "B. Bob")
            #expect(young.years == 1)
        }

        @Test("An object without a context keeps what it is given, and begins with the defaults")
        func unattached() {
            let tom = Animal(name: "Tom", species: .cat)
            #expect(tom.managedObjectContext == nil)
            #expect(!tom.isInserted)
            #expect(tom.name == "Tom")
            #expect(tom.species == .cat)
            #expect(tom.size == .small)
            let ada = Owner("Ada", email: "a")
            ada.animals = [tom]
            #expect(ada.animals == [tom])
            #expect(ada.city == "Rome")
            #expect(ada.tags == ["new"])
            #expect(abs(ada.since.timeIntervalSinceNow) < 600)
            ada.age = nil
            #expect(ada.age == nil)
        }

        // One object let go of the next within its own end, and thousands of them overflowed the stack.
        @Test("A long chain of objects without a context is let go of")
        func longChain() {
            weak var last: Visit?
            do {
                let first = Link(0)
                var link = first
                for number in 1...100_000 {
                    let next = Link(number)
                    link.next = next
                    link = next
                }
                let visit = Visit(reason: "cough", patron: Owner("Ada", email: "a"))
                link.visit = visit
                last = visit
                #expect(last != nil)
                #expect(first.next?.number == 1)
            }
            #expect(last == nil)
        }

        // A case that only a newer version of the program knows read as the default, and nothing told.
        @Test(
            "A stored value without a case of the enumeration reads as the default, is reported, and stays",
            arguments: [TestStore.sqlite, .xml])
        func unknownCase(_ store: TestStore) throws {
            let container = try container(store)
            let context = container.viewContext
            let rex = Animal(name: "Rex")
            context.insert(rex)
            try rex.setValue("horse", forKey: "species")
            try rex.setValue("pony", forKey: "second")
            try context.save()
            #expect(context.lastFaultError == nil)
            let other = ManagedObjectContext(container.coordinator)
            let found = try #require(try other.fetch(ObjectFetchRequest<Animal>()).first)
            #expect(found.species == .dog)
            let error = try #require(other.lastFaultError as? StoreError)
            #expect(error.code == .wrongValue)
            #expect(error.key == "species")
            #expect(error.entity == "Animal")
            #expect(found.second == nil)
            #expect((other.lastFaultError as? StoreError)?.key == "second")
            found.name = "Max"
            try other.save()
            #expect(try found.value(forKey: "species") as? String == "horse")
        }

        @Test("An object without a context that is related to one in a context is inserted with all objects that it references")
        func relatingInserts() throws {
            let context = try container(.inMemory).viewContext
            let ada = Owner("Ada", email: "a")
            context.insert(ada)
            let rex = Animal(name: "Rex")
            let visit = Visit(reason: "cough", patron: ada)
            rex.friends = [Animal(name: "Tom")]
            ada.animals.append(rex)
            #expect(rex.isInserted)
            #expect(rex.owner === ada)
            #expect(rex.friends.allSatisfy { $0.isInserted })
            // Whichever side says so: left outside, it would not be saved, and nobody would hear of it.
            #expect(visit.isInserted)
            #expect(ada.visits == [visit])
            context.insert(visit)
            #expect(ada.visits == [visit])
            try context.save()
            #expect(try context.count(for: ObjectFetchRequest<Animal>()) == 2)
        }

        @Test("An empty list that one side was given takes nothing away that the other side said")
        func bothSides() throws {
            let context = try container(.inMemory).viewContext
            let ada = Owner("Ada", email: "a")
            ada.animals = []
            let rex = Animal(name: "Rex")
            rex.owner = ada
            let tom = Animal(name: "Tom")
            ada.animals.append(tom)
            context.insert(rex)
            #expect(Set(ada.animals) == [rex, tom])
            #expect(rex.owner === ada)
            #expect(tom.owner === ada)
        }

        @Test("Inserting an object again changes nothing, and one that was rolled back can come again")
        func again() throws {
            let context = try container(.inMemory).viewContext
            let tom = Animal(name: "Tom")
            context.insert(tom)
            tom.name = "Tim"
            context.insert(tom)
            #expect(tom.name == "Tim")
            #expect(context.insertedObjects == [tom])
            context.rollback()
            #expect(tom.managedObjectContext == nil)
            tom.name = "Tam"
            context.insert(tom)
            try context.save()
            #expect(try context.fetch(ObjectFetchRequest<Animal>()).map(\.name) == ["Tam"])
        }

        @Test("A required value that is missing reads as empty, and the save says so")
        func missing() throws {
            let context = try container(.inMemory).viewContext
            let animal = Animal(context: context)
            #expect(animal.name == "")
            #expect(animal.species == .dog)
            let visit = Visit(context: context)
            visit.reason = "none"
            #expect(visit.patron.name == "")
            #expect(visit.patron.managedObjectContext == nil)
            let error = try #require(throws: ValidationError.self) { try context.save() }
            #expect(Set(error.failures.map(\.key)) == ["name", "patron"])
        }

        @Test("Bytes that are no value read as the default and keep the save from storing what comes of it")
        func undecodable() throws {
            let context = try container(.inMemory).viewContext
            let ada = Owner("Ada", email: "a")
            context.insert(ada)
            try ada.setValue(Value.data(Data([1, 2, 3])), forKey: "tags")
            #expect(ada.tags == ["new"])
            #expect(throws: StoreError.self) { try context.save() }
        }

        @Test("A raw value of no case reads as the default")
        func unknownCase() throws {
            let context = try container(.inMemory).viewContext
            let rex = Animal(name: "Rex")
            context.insert(rex)
            try rex.setValue("dragon", forKey: "species")
            try rex.setValue(99, forKey: "size")
            #expect(rex.species == .dog)
            #expect(rex.size == .small)
        }

        @Test("A constraint holds for what was made before it was inserted")
        func unique() throws {
            let context = try container(.sqlite).viewContext
            for _ in 0..<2 { context.insert(Owner("Ada", email: "same")) }
            #expect(throws: SaveConflictError.self) { try context.save() }
        }
    }
#endif
