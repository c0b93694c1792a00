import Strata

/// Faults, uniquing and looking objects up.
enum FaultingCases {
    /// A company of three people in a store.
    private static func saved(_ environment: ConformanceEnvironment) throws -> ConformanceStack {
        let stack = try environment.stack(Models.company)
        let context = stack.context()
        let company = Company(context: context)
        company.name = "A"
        for name in ["x", "y", "z"] { _ = Person(name, context, age: 30, company: company) }
        try context.save()
        return stack
    }

    /// A fault in a context whose row someone else has deleted.
    private static func orphan(
        _ environment: ConformanceEnvironment
    ) throws -> (stack: ConformanceStack, context: ManagedObjectContext, fault: Person) {
        let stack = try saved(environment)
        let (context, other) = (stack.context(), stack.context())
        let person = try other.named("x", Person.self)
        let fault = try unwrap(context.object(with: person.objectID) as? Person)
        other.delete(person)
        try other.save()
        return (stack, context, fault)
    }

    /// A person whose name has an unsaved change in a context, and whose age another one has changed in the store.
    private static func changedTwice(
        _ environment: ConformanceEnvironment
    ) throws -> (stack: ConformanceStack, context: ManagedObjectContext, person: Person) {
        let stack = try saved(environment)
        let (context, other) = (stack.context(), stack.context())
        let person = try context.named("x", Person.self)
        person.name = "mine"
        try other.named("x", Person.self).age = 31
        try other.save()
        return (stack, context, person)
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A fetched object is a fault until it is touched", in: .faulting) { environment in
            let stack = try saved(environment)
            let context = stack.context()
            let person = try unwrap(context.fetch(ObjectFetchRequest<Person>()).first)
            try expect(person.isFault, "a fetched object is no fault")
            _ = (person.objectID, person.entity, person.hasChanges, person.description, person.hashValue)
            try expect(person.isFault, "looking at its ID fired the fault")
            try expect(person.name != nil && !person.isFault, "touching it did not fire the fault")
        }
        ConformanceCase("A fetch without faults brings objects that are none", in: .faulting) { environment in
            let stack = try saved(environment)
            let context = stack.context()
            var request = ObjectFetchRequest<Person>()
            request.returnsObjectsAsFaults = false
            let people = try context.fetch(request)
            try expect(people.allSatisfy { !$0.isFault }, "a fault came")
        }
        ConformanceCase("An object that nobody touched has the values of the fetch that brought it last", in: .faulting) { environment in
            // A fetched object that was not touched kept the row that came first, and so returned old values that no
            // later fetch corrected.
            let stack = try saved(environment)
            let (context, other) = (stack.context(), stack.context())
            let fetched = try context.fetch(ObjectFetchRequest<Person>(sort: [Person.name.ascending]))
            _ = fetched[1].name
            for person in try other.fetch(ObjectFetchRequest<Person>()) { person.age = 31 }
            try other.save()
            var told: [ContextEvent] = []
            let subscription = context.observeEvents { told.append($0) }
            let again = try context.fetch(ObjectFetchRequest<Person>(Person.age == 31, sort: [Person.name.ascending]))
            try expect(zip(fetched, again).allSatisfy { $0 === $1 } && again.count == 3, "other objects came")
            try expectEqual(again.map(\.age), [31, 30, 31])
            try context.processPendingChanges()
            try expectEqual(told.flatMap(\.refreshed), [fetched[0], fetched[2]])
            try expect(!context.hasChanges, "a fetch changed an object")
            withExtendedLifetime(subscription) {}
        }
        ConformanceCase("There is one object per row in a context", in: .faulting) { environment in
            let stack = try saved(environment)
            let context = stack.context()
            let first = try context.fetch(ObjectFetchRequest<Person>())
            let second = try context.fetch(ObjectFetchRequest<Person>(Person.age == 30))
            try expect(first.count == 3 && zip(first, second).allSatisfy { $0 === $1 }, "a second fetch made other objects")
            let byRelationship = try context.named("A", Company.self).people
            try expectEqual(byRelationship, Set(first))
            try expect(try context.existingObject(with: first[0].objectID) === first[0], "looking it up made another object")
            try expect(context.object(with: first[0].objectID) === first[0], "object(with:) made another object")
        }
        ConformanceCase("Two contexts have two objects with equal IDs", in: .faulting) { environment in
            let stack = try saved(environment)
            let (a, b) = (try stack.context().named("x", Person.self), try stack.context().named("x", Person.self))
            try expect(a !== b && a.objectID == b.objectID, "contexts share an object")
            a.name = "changed"
            try expectEqual(b.name, "x")
        }
        ConformanceCase("An unknown ID gives a fault that turns out to be nothing", in: .faulting) { environment in
            let stack = try saved(environment)
            let context = stack.context()
            let person = try context.named("x", Person.self)
            let id = ObjectID(scope: person.objectID.scope, reference: 4_000_000)
            try expect(context.registeredObject(for: id) == nil, "an unknown object is registered")
            let error = try expectStoreError(.notFound) { try context.existingObject(with: id) }
            try expectEqual(error.cocoaCode, 133000)
            try expectEqual(error.entity, "Person")
            let fault = try unwrap(context.object(with: id) as? Person)
            try expect(fault.isFault, "an object made of an ID is no fault")
            try expectEqual(fault.name, nil)
            try expect(fault.isDeleted, "the inaccessible object does not count as deleted")
            try context.save()
        }
        ConformanceCase("A fault whose row is gone has no values and does no harm", in: .faulting) { environment in
            let (stack, context, fault) = try orphan(environment)
            try expectEqual(fault.name, nil)
            try expectEqual(fault.company, nil)
            try expectEqual(fault.friends, [])
            try expect(fault.isDeleted, "it does not count as deleted")
            try expectEqual((context.lastFaultError as? StoreError)?.code, .notFound)
            _ = Person("w", context)
            try context.save()
            try expectEqual(try stack.context().names(of: Person.self), ["w", "y", "z"])
        }
        ConformanceCase("A fault whose row is gone is not deleted where the context says so", in: .faulting) { environment in
            let (_, context, fault) = try orphan(environment)
            context.shouldDeleteInaccessibleFaults = false
            try expectEqual(fault.name, nil)
            try expect(!fault.isDeleted, "it counts as deleted")
            try expectEqual((context.lastFaultError as? StoreError)?.code, .notFound)
        }
        // It was taken, and vanished without a word.
        ConformanceCase("What is given to an object whose row is gone, and which does not count as deleted, is refused", in: .faulting) {
            environment in
            let (_, context, fault) = try orphan(environment)
            context.shouldDeleteInaccessibleFaults = false
            fault.age = 40
            try expectStoreError(.notFound) { try context.save() }
            context.rollback()
            try expectStoreError(.notFound) { try fault.setValue("y", forKey: "name") }
            try expectStoreError(.notFound) { try fault.setValue(Set<ManagedObject>(), forKey: "friends") }
            try context.save()
            context.delete(fault)
            try context.save()
        }
        ConformanceCase("Refreshing without merging brings the stored values and forgets changes", in: .faulting) { environment in
            let (_, context, person) = try changedTwice(environment)
            context.refresh(person, mergeChanges: false)
            try expect(person.isFault && !person.hasChanges && !context.hasChanges, "the changes are still there")
            try expectEqual(person.name, "x")
            try expectEqual(person.age, 31)
        }
        ConformanceCase("Refreshing with merging keeps the changes over new values", in: .faulting) { environment in
            let (stack, context, person) = try changedTwice(environment)
            context.refresh(person, mergeChanges: true)
            try expectEqual(person.name, "mine")
            try expectEqual(person.age, 31)
            try context.save()
            let saved = try stack.context().named("mine", Person.self)
            try expectEqual(saved.age, 31)
        }
        ConformanceCase("Refreshing all objects shows what others saved", in: .faulting) { environment in
            let stack = try saved(environment)
            let (context, other) = (stack.context(), stack.context())
            let (person, company) = (try context.named("x", Person.self), try context.named("A", Company.self))
            try expectEqual(company.people.count, 3)
            try other.named("x", Person.self).age = 50
            _ = Person("w", other, company: try other.named("A", Company.self))
            try other.save()
            try expectEqual(person.age, 30)
            context.refreshAllObjects()
            try expectEqual(person.age, 50)
            try expectEqual(company.people.count, 4)
        }
        ConformanceCase("Resetting a context forgets everything", in: .faulting) { environment in
            let stack = try saved(environment)
            let context = stack.context()
            let person = try context.named("x", Person.self)
            person.name = "changed"
            let new = Person("new", context)
            context.reset()
            try expect(context.registeredObjects.isEmpty && !context.hasChanges, "something is left")
            try expect(person.managedObjectContext == nil && new.managedObjectContext == nil, "objects are still in the context")
            try expectEqual(try context.names(of: Person.self), ["x", "y", "z"])
        }
        ConformanceCase("The fault of a to-many relationship is fired apart from the object's", in: .faulting) { environment in
            let stack = try saved(environment)
            let context = stack.context()
            let company = try unwrap(context.fetch(ObjectFetchRequest<Company>()).first)
            try expect(company.hasFault(forRelationshipNamed: "people"), "the relationship is loaded at once")
            try expectEqual(company.name, "A")
            try expect(company.hasFault(forRelationshipNamed: "people"), "touching an attribute loaded the relationship")
            try expectEqual(company.people.count, 3)
            try expect(!company.hasFault(forRelationshipNamed: "people"), "the relationship is still a fault")
            try expect(company.people.allSatisfy { $0.isFault }, "the destinations were loaded")
        }
        ConformanceCase("Looking at committed and changed values tells old from new", in: .faulting) { environment in
            let stack = try saved(environment)
            let context = stack.context()
            let person = try context.named("x", Person.self)
            try expectEqual(person.changedValues().count, 0)
            person.age = 31
            person.company = nil
            let committed = person.committedValues(forKeys: ["name", "age", "company"])
            try expectEqual(committed["name"] as? String, "x")
            try expectEqual(committed["age"] as? Int, 30)
            try expect(committed["company"] is ObjectID, "the committed destination is not an ID")
            try expectEqual(person.changedValues().keys.sorted(), ["age", "company"])
            try expectEqual(person.changedValues()["age"] as? Int, 31)
            try context.save()
            try expectEqual(person.changedValues().count, 0)
            try expectEqual(person.committedValues(forKeys: ["age"])["age"] as? Int, 31)
        }
        ConformanceCase("The committed members of relationships are those of the last save, in their order", in: .faulting) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let company = Company(context: context)
            company.name = "company"
            let people = ["a", "b", "c"].map { Person($0, context) }
            let departments = (0..<3).map { _ in Department(context: context) }
            (company.people, company.departments) = (Set(people.prefix(2)), departments)
            try expectEqual(company.committedValues(forKeys: nil).count, 0)
            try context.save()
            func expectCommitted(_ company: Company) throws {
                let committed = company.committedValues(forKeys: nil)
                try expectEqual(committed["people"] as? Set<ObjectID>, Set(people.prefix(2).map(\.objectID)))
                try expectEqual(committed["departments"] as? [ObjectID], departments.map(\.objectID))
            }
            try expectCommitted(company)
            company.people = Set(people.suffix(2))
            company.departments = [departments[2], departments[0]]
            try expectCommitted(company)
            let other = stack.context()
            let fault = try other.named("company", Company.self)
            fault.people = []
            fault.departments = fault.departments.reversed()
            try expectCommitted(fault)
            try context.save()
            let committed = company.committedValues(forKeys: ["people", "departments"])
            try expectEqual(committed["people"] as? Set<ObjectID>, Set(people.suffix(2).map(\.objectID)))
            try expectEqual(committed["departments"] as? [ObjectID], [departments[2], departments[0]].map(\.objectID))
        }
        ConformanceCase("Setting a value to what it was makes an object dirty but changes nothing", in: .faulting) { environment in
            let stack = try saved(environment)
            let context = stack.context()
            let person = try context.named("x", Person.self)
            person.age = 30
            try expect(person.hasChanges && !person.hasPersistentChangedValues, "an equal value counts as a change")
            let (editor, editors) = (stack.context(), try stack.context().named("x", Person.self))
            try expect(editors.managedObjectContext !== editor, "contexts are shared")
            try context.save()
            editors.age = 32
            try unwrap(editors.managedObjectContext).save()
            try expectEqual(try stack.context().named("x", Person.self).age, 32)
        }
    }
}
