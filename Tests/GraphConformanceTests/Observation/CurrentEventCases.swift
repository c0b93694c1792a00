import Strata

@testable import StrataConformance

/// What objects were before the event in which they were changed.
enum CurrentEventCases {
    /// A company with Ann, 1 year old, and Bob, whose boss she is.
    private static func build(
        _ environment: ConformanceEnvironment
    ) throws -> (context: ManagedObjectContext, company: Company, ann: Person, bob: Person) {
        let context = try environment.stack(Models.company.get()).context()
        let company = Company(context: context)
        company.name = "acme"
        let (ann, bob) = (Person("ann", context, age: 1, company: company), Person("bob", context))
        bob.boss = ann
        try context.save()
        return (context, company, ann, bob)
    }

    /// The values in words, by name.
    private static func told(_ values: [String: Any]) -> [String] {
        func words(_ value: Any) -> String {
            switch value {
            case let object as Person: object.name ?? "?"
            case let object as Company: object.name ?? "?"
            case let objects as Set<ManagedObject>: "{" + objects.map { words($0) }.sorted().joined(separator: " ") + "}"
            case let objects as [ManagedObject]: "[" + objects.map { words($0) }.joined(separator: " ") + "]"
            case let object as Department: object.name ?? "?"
            case let elements as [String: Any]: told(elements).joined(separator: "/")
            case Optional<Any>.none: "nil"
            default: "\(value)"
            }
        }
        return values.map { "\($0.key)=\(words($0.value))" }.sorted()
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A listener of an event gets the values before it", in: .observation) { environment in
            let (context, company, ann, bob) = try build(environment)
            var heard: [[String]] = []
            let subscription = context.observeEvents { event in
                guard event.kind == .objectsDidChange else { return }
                heard += (event.inserted + event.updated).map { told($0.changedValuesForCurrentEvent()) }
            }
            ann.age = 2
            ann.age = 3
            ann.name = "anna"
            bob.company = company
            bob.boss = nil
            try context.processPendingChanges()
            try expectEqual(heard, [["age=1", "name=ann", "reports={bob}"], ["boss=anna", "company=nil"], ["people={anna}"]])
            heard = []
            ann.age = 4
            bob.age = 9
            try context.processPendingChanges()
            try expectEqual(heard, [["age=3"], ["age=nil"]], "the values before the second event")
            heard = []
            ann.age = 5
            try context.save()
            try expectEqual(heard, [["age=4"]], "a save ends an event")
            try expectEqual(told(ann.changedValuesForCurrentEvent()), [])
            withExtendedLifetime(subscription) {}
        }
        ConformanceCase("Asked in between, an object knows what it was before the event that goes on", in: .observation) { environment in
            let (context, _, ann, bob) = try build(environment)
            try expectEqual(told(ann.changedValuesForCurrentEvent()), [])
            ann.age = 2
            try expectEqual(told(ann.changedValuesForCurrentEvent()), ["age=1"])
            try expectEqual(told(bob.changedValuesForCurrentEvent()), [])
            try context.processPendingChanges()
            try expectEqual(told(ann.changedValuesForCurrentEvent()), [], "the event ended")
            ann.name = "anna"
            ann.age = 3
            ann.age = 2
            try expectEqual(told(ann.changedValuesForCurrentEvent()), ["name=ann"], "a value that is what it was")
            try expectEqual(Set(ann.changedValues().keys), ["age", "name"])
            context.rollback()
            try expectEqual(ann.age, 1)
            ann.age = 7
            try expectEqual(told(ann.changedValuesForCurrentEvent()), ["age=1"], "a rollback ends an event")
        }
        ConformanceCase("Without a listener or a request, the event has all changes since the save", in: .observation) { environment in
            let (context, company, ann, bob) = try build(environment)
            ann.age = 2
            bob.boss = nil
            company.people = [bob]
            try expectEqual(told(ann.changedValuesForCurrentEvent()), ["age=1", "company=acme", "reports={bob}"])
            let department = Department(context: context)
            department.name = "d"
            try expectEqual(told(department.changedValuesForCurrentEvent()), ["name=nil"])
            try expectEqual(told(company.changedValuesForCurrentEvent()), ["people={ann}"])
            try expectEqual(told(ann.changedValuesForCurrentEvent()), ["age=1", "company=acme", "reports={bob}"], "asked again")
            try context.processPendingChanges()
            department.name = "e"
            bob.boss = ann
            try expectEqual(told(department.changedValuesForCurrentEvent()), ["name=d"])
            try expectEqual(told(ann.changedValuesForCurrentEvent()), ["reports={}"])
        }
        ConformanceCase("The members of a relationship before an event are those that it had then, in their order", in: .observation) {
            environment in
            let (context, company, ann, bob) = try build(environment)
            let departments = ["x", "y", "z"].map { name in
                let department = Department(context: context)
                department.name = name
                return department
            }
            company.departments = departments
            try context.save()
            let subscription = context.observeEvents { _ in }
            company.departments = [departments[2], departments[0]]
            company.people.insert(bob)
            try expectEqual(told(company.changedValuesForCurrentEvent()), ["departments=[x y z]", "people={ann}"])
            try context.processPendingChanges()
            company.departments = departments.reversed()
            company.people = []
            try expectEqual(told(company.changedValuesForCurrentEvent()), ["departments=[z x]", "people={ann bob}"])
            try expectEqual(told(ann.changedValuesForCurrentEvent()), ["company=acme"])
            try context.processPendingChanges()
            let new = Company(context: context)
            new.people = [ann]
            try context.processPendingChanges()
            new.people = [ann, bob]
            try expectEqual(told(new.changedValuesForCurrentEvent()), ["people={ann}"], "members of a new object")
            company.people = [ann]
            company.people = []
            try expectEqual(told(company.changedValuesForCurrentEvent()), [], "members that came and went")
            withExtendedLifetime(subscription) {}
        }
        ConformanceCase("What a new object was given had no value before the event that it came with", in: .observation) { environment in
            let (context, company, _, bob) = try build(environment)
            var heard: [[String]] = []
            let subscription = context.observeEvents { event in
                if event.kind == .objectsDidChange { heard += event.inserted.map { told($0.changedValuesForCurrentEvent()) } }
            }
            let department = Department(context: context)
            department.name = "d"
            try expectEqual(told(department.changedValuesForCurrentEvent()), ["name=nil"])
            let new = Company(context: context)
            new.people = [bob]
            try expectEqual(told(new.changedValuesForCurrentEvent()), ["people={}"])
            // One that goes and comes again is as new as it was.
            context.delete(department)
            context.insert(department)
            company.departments.append(department)
            try context.processPendingChanges()
            try expectEqual(heard.map { $0.contains("name=nil") }, [true, false])
            department.name = "e"
            try expectEqual(told(department.changedValuesForCurrentEvent()), ["name=d"])
            try context.save()
            try expectEqual(heard.count, 2, "a save inserts nothing that was told")
            withExtendedLifetime(subscription) {}
        }
        ConformanceCase("Listeners may change objects while they are notified: that is part of the next event", in: .observation) {
            environment in
            let (context, _, ann, bob) = try build(environment)
            var heard: [String] = []
            let subscription = context.observeEvents { event in
                for object in event.updated where event.kind == .objectsDidChange {
                    heard += ["\((object as? Person)?.name ?? "?")"] + told(object.changedValuesForCurrentEvent())
                }
                if ann.age == 2 { ann.age = 3 }
            }
            ann.age = 2
            try context.processPendingChanges()
            bob.age = 1
            try context.processPendingChanges()
            try expectEqual(heard, ["ann", "age=1", "ann", "age=2", "bob", "age=nil"])
            withExtendedLifetime(subscription) {}
        }
        ConformanceCase("A composite value before an event is whole, and a transient one is none of it", in: .observation) { environment in
            let stack = try CompositeCases.build(environment)
            let context = stack.context()
            let a = try context.named("a", Theme.self)
            let subscription = context.observeEvents { _ in }
            a.site?.position?.latitude = 1
            try a.setValue(["text": "x"], forKey: "note")
            try expectEqual(told(a.changedValuesForCurrentEvent()), ["site=city=Rome/position=latitude=41.9/longitude=12.5/visits=3"])
            try context.processPendingChanges()
            a.site = nil
            a.colors?.primary = nil
            try expectEqual(
                told(a.changedValuesForCurrentEvent()),
                ["colors=primary=red/secondary=black", "site=city=Rome/position=latitude=1.0/longitude=12.5/visits=3"])
            try context.processPendingChanges()
            a.site = Site("Bari")
            try expectEqual(told(a.changedValuesForCurrentEvent()), ["site=nil"])
            withExtendedLifetime(subscription) {}
        }
        ConformanceCase("Listeners receive the changes that custom accessors announce", in: .observation) { environment in
            let (context, _, ann, _) = try build(environment)
            var heard: [[String]] = []
            let subscription = context.observeEvents { event in heard += event.updated.map { told($0.changedValuesForCurrentEvent()) } }
            ann.willChangeValue(forKey: "age")
            try ann.setPrimitiveValue(5, forKey: "age")
            ann.didChangeValue(forKey: "age")
            try context.processPendingChanges()
            withExtendedLifetime(subscription) {}
            try expectEqual(heard, [["age=1"]])
        }
    }
}
