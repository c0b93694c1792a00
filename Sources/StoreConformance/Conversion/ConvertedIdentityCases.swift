import Dispatch
import Strata
import StrataTestModels
import Synchronization

extension ConversionCases {
    private static let people = ModelResult.declared {
        Entity("Person") {
            Attributes(["name": .string, "n": .integer32])
            Relationships(["pets": .toMany("Pet.owner"), "friends": .ordered("Pet.friends")])
            Unique("name")
        }
        Entity("Pet") {
            Attribute("name", .string)
            Relationships(["owner": .toOne("Person.pets"), "friends": .toMany("Person.friends")])
        }
    }

    /// Four people with a pet each, whose references are those of the people.
    private static func populated(_ environment: ConformanceEnvironment) throws -> ConformanceStack {
        let stack = try environment.stack(people)
        let context = stack.context()
        for index in 0..<4 {
            let person = try context.add("Person", "p\(index)", ["n": index])
            try context.add("Pet", "pet\(index)", ["owner": person])
        }
        try context.save()
        // Rows of later versions than the first.
        for person in try context.all("Person") { try person.setValue(person.many("pets"), forKey: "friends") }
        for person in try context.all("Person") { try person.setValue((person.value(forKey: "n") as? Int ?? 0) + 10, forKey: "n") }
        try context.save()
        return stack
    }

    private static func number(_ object: ManagedObject) throws -> Int? { try object.value(forKey: "n") as? Int }

    /// Contexts that hold objects while their store is converted.
    @ConformanceCaseList static var identity: [ConformanceCase] {
        // A context had two objects for one row, counted its changes twice, and did not find what it held by itself or
        // its URI.
        ConformanceCase("A context goes on with the objects that it holds over a converted store", in: .conversion) { environment in
            let stack = try populated(environment)
            let context = stack.context()
            let child = stack.child(of: context)
            let people = try context.all("Person", sort: [QuerySort("n")])
            let ofChild = try child.all("Person", sort: [QuerySort("n")])
            let unread = try stack.context().all("Pet", sort: [QuerySort("name")])
            _ = try names(people)
            try people[2].setValue("changed", forKey: "name")
            context.delete(people[3])
            let (id, uri) = (people[0].objectID, people[0].objectID.uriRepresentation)
            _ = try stack.coordinator.migrateStore(
                stack.store(), to: environment.description("converted", of: environment.partner))

            try expectEqual(try names(context.all("Person")), ["changed", "p0", "p1"])
            try expectEqual(try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Person")), 3)
            try expect(try context.all("Person", key("n") == 10).first === people[0], "another object for a row")
            try expectEqual(try context.all("Person", key("name") == "p2").count, 0)
            try expectEqual(try context.all("Person", QueryPredicate(format: "SELF == %@", people[1])).count, 1)
            try expectEqual(try names(context.all("Pet", QueryPredicate(format: "owner == %@", people[1]))), ["pet1"])
            try expect(try context.one("Pet", "pet1").one("owner") === people[1], "a pet leads to another object")
            try expect(try people[1].many("pets").first?.one("owner") === people[1], "there and back is another object")
            try expect(try context.existingObject(with: id) === people[0], "another object by the ID")
            let found = try unwrap(stack.coordinator.objectID(forURI: uri))
            try expect(try context.existingObject(with: found) === people[0], "another object by the URI")
            try expect(try child.all("Person", key("name") == "p1").first === ofChild[1], "another object in the child")
            try expectEqual(try unread.map { try $0.one("owner")?.text("name") }, ["p0", "p1", "p2", "p3"])

            let other = stack.context()
            try other.one("Person", "p1").setValue(21, forKey: "n")
            let saved = try other.save()
            context.mergeChanges(fromRemoteContextSave: RemoteChanges(updated: saved.updated.map(\.id)))
            try expectEqual(try number(people[1]), 21)
            for value in 100...102 {
                try people[0].setValue(value, forKey: "n")
                try context.save()
                try expectEqual(try number(stack.context().one("Person", "p0")), value)
            }
            try expectEqual(try names(stack.context().all("Person")), ["changed", "p0", "p1"])
            try expectEqual(try names(people[0].ordered("friends")), ["pet0"])
            try expectEqual(try stack.coordinator.verify(stack.store()).count, 0)
        }
        ConformanceCase("An object of a converted store has the ID that it had, also after the store was opened again", in: .conversion) {
            environment in
            let stack = try populated(environment)
            var ids: [String: ObjectID] = [:]
            for object in try stack.context().all("Person") + stack.context().all("Pet") {
                ids[try object.text("name") ?? ""] = object.objectID
            }
            let description = environment.description("converted", of: environment.partner)
            let store = try stack.coordinator.migrateStore(stack.store(), to: description)
            func check(_ stack: ConformanceStack) throws {
                let context = stack.context()
                for (name, id) in ids {
                    try expectEqual(try context.existingObject(with: id).text("name"), name)
                    let uri = try unwrap(stack.coordinator.objectID(forURI: id.uriRepresentation))
                    try expectEqual(try context.existingObject(with: uri).text("name"), name)
                }
                try expectEqual(try context.one("Pet", "pet3").one("owner")?.text("name"), "p3")
                try expectEqual(try names(context.one("Person", "p2").ordered("friends")), ["pet2"])
            }
            try check(stack)
            // A new object has a reference that no other one has.
            let context = stack.context()
            try context.add("Pet", "new", ["owner": context.one("Person", "p0")])
            try context.save()
            try expectEqual(Set(try context.all("Pet").map(\.objectID)).count, 5)
            guard store.capabilities.isPersistent else { return }
            try stack.close()
            for _ in 0..<2 {
                let again = try environment.stack(people.get(), stores: [description])
                try check(again)
                let context = again.context()
                try context.add("Person", "another", ["pets": [context.add("Pet", "more")]])
                try context.save()
                context.delete(try context.one("Person", "another"))
                context.delete(try context.one("Pet", "more"))
                try context.save()
                try again.coordinator.setUserInfo(["key": .string("value")], of: again.store())
                try check(again)
                try again.close()
            }
        }
        ConformanceCase("A snapshot that is under way is of the store before its conversion", in: .conversion) { environment in
            let stack = try populated(environment)
            let context = stack.context()
            let pets = try context.all("Pet", sort: [QuerySort("name")])
            try context.withSnapshot {
                try expectEqual(try names(context.all("Person")), ["p0", "p1", "p2", "p3"])
                _ = try stack.coordinator.migrateStore(
                    stack.store(), to: environment.description("converted", of: environment.partner))
                let (coordinator, done) = (stack.coordinator, DispatchSemaphore(value: 0))
                DispatchQueue.global().async {
                    let other = ManagedObjectContext(coordinator, isolation: nil)
                    _ = try? other.add("Person", "later")
                    _ = try? other.save()
                    done.signal()
                }
                done.wait()
                try expectEqual(try names(context.all("Person")), ["p0", "p1", "p2", "p3"])
                try expectEqual(try names(unwrap(pets[0].one("owner")).many("pets")), ["pet0"])
            }
            try expectEqual(try names(context.all("Person")), ["later", "p0", "p1", "p2", "p3"])
        }
        ConformanceCase("A context that is pinned to a converted store does not read the new one", in: .conversion) { environment in
            let stack = try populated(environment)
            let context = stack.context()
            try context.setQueryGenerationFrom(.current)
            try expectEqual(try context.all("Person").count, 4)
            _ = try stack.coordinator.migrateStore(
                stack.store(), to: environment.description("converted", of: environment.partner))
            try expectStoreError(.closed) { try context.all("Person") }
            try context.setQueryGenerationFrom(.current)
            try expectEqual(try context.all("Person").count, 4)
            try context.setQueryGenerationFrom(nil)
            try expectEqual(try context.all("Person").count, 4)
        }
        // Removing it did nothing and threw nothing; its metadata could be read, and were changed in the new store.
        ConformanceCase("The store before its conversion is none of the coordinator's", in: .conversion) { environment in
            let stack = try populated(environment)
            let old = try stack.store()
            let new = try stack.coordinator.migrateStore(old, to: environment.description("converted", of: environment.partner))
            try RemovedStoreCases.expectForeign(old, in: stack.coordinator, environment)
            try expect(stack.coordinator.stores.first === new, "another store is there")
            // Requests and new objects name stores by their IDs.
            let context = stack.context()
            var request = ObjectFetchRequest<ManagedObject>(entityName: "Person")
            request.affectedStores = [old]
            try expectEqual(try context.fetch(request).count, 4)
            try context.assign(context.add("Pet", "assigned"), to: old)
            try context.save()
            try expectEqual(try stack.context().all("Pet").count, 5)
        }
        // It waited for the save whose event it was called in until the time-out had passed.
        ConformanceCase("A listener of saves converts the store that was saved to", in: .conversion) { environment in
            let stack = try populated(environment)
            var description = environment.description("converted", of: environment.partner)
            description.options.timeout = 1e9
            let (coordinator, target) = (stack.coordinator, description)
            let outcome = Mutex<Result<any PersistentStore, any Error>?>(nil)
            let subscription = coordinator.observeSaves { _ in
                if outcome.withLock({ $0 }) != nil { return }
                let result = Result { try coordinator.migrateStore(coordinator.stores[0], to: target) }
                outcome.withLock { $0 = result }
            }
            defer { subscription.cancel() }
            let context = stack.context()
            let person = try context.one("Person", "p0")
            try person.setValue(50, forKey: "n")
            try context.save()
            let converted = try unwrap(outcome.withLock { $0 }).get()
            try expect(
                stack.coordinator.stores.map(\.type) == [target.driver.type] && stack.coordinator.stores[0] === converted, "not converted")
            try person.setValue(51, forKey: "n")
            try context.save()
            try expectEqual(try number(stack.context().one("Person", "p0")), 51)
        }
        ConformanceCase("Saves of held objects that meet a conversion succeed", in: .conversion) { environment in
            let stack = try populated(environment)
            let (old, container) = (try stack.store(), stack.container)
            let description = environment.description("converted", of: environment.partner)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<3 {
                    group.addTask {
                        try await container.performBackgroundTask { context in
                            let person = try context.one("Person", "p\(worker)")
                            for index in 0..<20 {
                                try context.add("Pet", "\(worker) \(index)", ["owner": person])
                                try person.setValue(index, forKey: "n")
                                try context.save()
                            }
                        }
                    }
                }
                group.addTask { _ = try container.coordinator.migrateStore(old, to: description) }
                try await group.waitForAll()
            }
            let context = stack.context()
            try expectEqual(try context.all("Pet").count, 64)
            for worker in 0..<3 { try expectEqual(try context.one("Person", "p\(worker)").many("pets").count, 21) }
        }
    }
}
