import FoundationEssentials
import Strata
import StrataStore

/// What is there after a store was closed.
enum ReopenCases {
    private static func count(_ plan: FetchPlan, _ reader: any StoreReader) throws -> Int {
        let answer = try reader.answer(plan)
        guard case .count(let count) = answer else { throw ConformanceFailure("\(answer) is no count") }
        return count
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A store that was made and closed can be opened again, and is empty", in: .reopen, requires: .persistence) {
            environment in
            let stack = try environment.stack(Models.company)
            let uuid = try stack.store().id
            let again = try stack.reopened()
            try expectEqual(try again.store().id, uuid)
            try expectEqual(try again.context().count(for: ObjectFetchRequest<Person>()), 0)
        }
        ConformanceCase("What was not saved is not there", in: .reopen, requires: .persistence) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            _ = Person("saved", context)
            try context.save()
            _ = Person("lost", context)
            try context.named("saved", Person.self).name = "changed"
            try expectEqual(try stack.reopened().context().names(of: Person.self), ["saved"])
        }
        ConformanceCase("Everything is there after ten reopenings with changes between", in: .reopen, requires: .persistence) {
            environment in
            var stack = try environment.stack(Models.company)
            for round in 0..<10 {
                let context = stack.context()
                let company = try context.fetch(ObjectFetchRequest<Company>()).first ?? Company(context: context)
                company.name = "round \(round)"
                let department = Department(context: context)
                department.name = "d\(round)"
                company.add(department, to: Company.departments, at: 0)
                let person = Person("p\(round)", context, age: Int16(round), company: company)
                person.friends = Set(
                    try context.fetch(ObjectFetchRequest<Person>(Person.age >= Int16(round - 2), sort: [Person.age.ascending]))
                )
                .subtracting([person])
                try context.save()
                stack = try stack.reopened()
            }
            let context = stack.context()
            let company = try context.named("round 9", Company.self)
            try expectEqual(try inOrder(company.departments), (0..<10).reversed().map { "d\($0)" })
            try expectEqual(company.people.count, 10)
            try expectEqual(try names(context.named("p5", Person.self).friends), ["p3", "p4", "p6", "p7"])
        }
        ConformanceCase("A closed store refuses everything, with an error of its own", in: .reopen) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let person = Person("p", context)
            try context.save()
            let store = try stack.store()
            try stack.coordinator.remove(store)
            try store.close()
            try expectStoreError(.closed) { try store.metadata() }
            try expectStoreError(.closed) { try store.read { _ in } }
            try expectStoreError(.closed) { _ = try store.beginWrite() }
            try expect(stack.coordinator.stores.isEmpty, "the coordinator still has the store")
            _ = Person("q", context)
            try expectStoreError(.noStore) { try context.save() }
            try expect(context.hasChanges, "the changes are gone")
            try expectEqual(person.name, "p")
            try expectStoreError(.noStore) { try context.count(for: ObjectFetchRequest<Company>()) }
        }
        ConformanceCase("A store can be removed from a coordinator and added again", in: .reopen, requires: .persistence) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            _ = Person("p", context)
            try context.save()
            let id = try context.named("p", Person.self).objectID
            try stack.coordinator.remove(stack.store())
            try stack.coordinator.addStore(environment.description())
            let other = stack.context()
            try expectEqual(try other.existingObject(with: id).text("name"), "p")
            try expectEqual(try other.names(of: Person.self), ["p"])
        }
        ConformanceCase("The same store cannot be added to a coordinator twice", in: .reopen, requires: .file) { environment in
            let stack = try environment.stack(Models.company)
            let error = try expectStoreError(.locked) { try stack.coordinator.addStore(environment.description()) }
            try expect(error.path != nil, "\(error)")
            try expectEqual(stack.coordinator.stores.count, 1)
            let context = stack.context()
            _ = Person("p", context)
            try context.save()
        }
        ConformanceCase("A store that is opened for reading only reads, and refuses saves", in: .reopen, requires: .persistence) {
            environment in
            let stack = try environment.stack(Models.company)
            let writer = stack.context()
            let person = Person("p", writer)
            person.friends = [Person("q", writer)]
            try writer.save()
            try stack.close()
            let reading = try environment.stack(Models.company) { $0.isReadOnly = true }
            try expect(try reading.store().isReadOnly, "the store is writable")
            let context = reading.context()
            try expectEqual(try context.names(of: Person.self), ["p", "q"])
            try expectEqual(try names(context.named("p", Person.self).friends), ["q"])
            try context.named("p", Person.self).name = "changed"
            try expectStoreError(.readOnly) { try context.save() }
            try expect(context.hasChanges, "the changes are gone")
            context.rollback()
            _ = Person("new", context)
            // Fetches threw that no writable store holds the entity, and so did the save, which hid the store's own reason.
            try expectEqual(try context.names(of: Person.self), ["new", "p", "q"])
            try expectEqual(try context.count(for: ObjectFetchRequest<Person>(key("name") == "new")), 1)
            try expectStoreError(.readOnly) { try context.save() }
            try expectStoreError(.readOnly) { try context.obtainPermanentIDs(for: Array(context.insertedObjects)) }
            try expectStoreError(.readOnly) { try context.execute(BatchInsertRequest(entityName: "Person", objects: [["name": "x"]])) }
            try reading.close()
            try expectEqual(try environment.stack(Models.company).context().names(of: Person.self), ["p", "q"])
        }
        ConformanceCase("What another coordinator saved is seen", in: .reopen, requires: [.persistence, .severalCoordinators]) {
            environment in
            let (a, b) = (try environment.stack(Models.company), try environment.stack(Models.company))
            let (contextA, contextB) = (a.context(), b.context())
            let person = Person("p", contextA)
            try contextA.save()
            let seen = try contextB.named("p", Person.self)
            seen.name = "changed"
            try contextB.save()
            person.age = 5
            try expectConflict(contextA)
            contextA.refresh(person, mergeChanges: true)
            try contextA.save()
            try expectEqual(try b.context().named("changed", Person.self).age, 5)
        }
        ConformanceCase("Two coordinators never give out one reference", in: .reopen, requires: [.persistence, .severalCoordinators]) {
            environment in
            let (a, b) = (try environment.stack(Models.company), try environment.stack(Models.company))
            var seen: Set<Int64> = []
            for round in 0..<5 {
                for stack in [a, b] {
                    let context = stack.context()
                    let person = Person("p\(round)", context)
                    try context.save()
                    try expect(seen.insert(person.objectID.reference).inserted, "\(person.objectID) was given out twice")
                }
            }
            try expectEqual(try a.context().count(for: ObjectFetchRequest<Person>()), 10)
        }
        ConformanceCase("A reader sees one state while others save", in: .reopen) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            _ = Person("p", context)
            try context.save()
            let model = stack.container.model
            let plan = FetchPlan(try unwrap(model.entity(named: "Person")), .count)
            let store = try stack.store()
            try store.read { reader in
                try expectEqual(try count(plan, reader), 1)
                _ = Person("q", context)
                try context.save()
                try expectEqual(try count(plan, reader), 1, "the snapshot changed")
            }
            try store.read { try expectEqual(try count(plan, $0), 2, "a new snapshot is old") }
        }
        ConformanceCase("A transaction that is dropped changes nothing", in: .reopen) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            _ = Person("p", context)
            try context.save()
            let store = try stack.store()
            var changes = ChangeSet()
            var metadata = try store.metadata()
            metadata.userInfo["dropped"] = .int(1)
            changes.metadata = metadata
            do {
                let transaction = try store.beginWrite()
                _ = try transaction.apply(changes)
            }
            let rolledBack = try store.beginWrite()
            _ = try rolledBack.apply(changes)
            rolledBack.rollback()
            try expect(try store.metadata().userInfo["dropped"] == nil, "the dropped change is there")
            _ = Person("q", context)
            try context.save()
            let again = try stack.reopened()
            try expect(try again.store().metadata().userInfo["dropped"] == nil, "the dropped change is there after reopening")
            try expectEqual(try again.context().names(of: Person.self), ["p", "q"])
        }
    }
}
