import Strata

/// Temporary and permanent IDs, and their URIs.
enum IdentityCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A new object has a temporary ID, and a permanent one after its save", in: .saving) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let person = Person("p", context)
            let temporary = person.objectID
            try expect(temporary.isTemporary && temporary.storeID == nil, "\(temporary) is not temporary")
            try context.save()
            let id = person.objectID
            try expect(!id.isTemporary && id != temporary && id.reference > 0, "\(id) is not permanent")
            try expectEqual(id.storeID, try stack.store().id)
            try expect(context.registeredObject(for: id) === person, "the object is not known by its new ID")
        }
        ConformanceCase("IDs never change again", in: .saving) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let person = Person("p", context)
            try context.save()
            let uri = person.objectID.uriRepresentation
            person.name = "q"
            try context.save()
            try expectEqual(person.objectID.uriRepresentation, uri)
            let again = try stack.reopened()
            try expectEqual(try again.context().named("q", Person.self).objectID.uriRepresentation, uri)
        }
        ConformanceCase("A URI leads back to the object", in: .saving) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let person = Person("p", context)
            try context.save()
            let uri = person.objectID.uriRepresentation
            try expectEqual(uri, "x-coredata://\(try stack.store().id)/Person/p\(person.objectID.reference)")
            let again = try stack.reopened()
            let id = try unwrap(again.coordinator.objectID(forURI: uri))
            try expectEqual(try again.context().existingObject(with: id).text("name"), "p")
        }
        ConformanceCase("A URI of something else leads nowhere", in: .saving) { environment in
            let stack = try environment.stack(Models.company)
            let uuid = try stack.store().id
            for uri in [
                "", "x-coredata://", "x-coredata://\(uuid)", "x-coredata://\(uuid)/Person", "x-coredata://\(uuid)/Person/1",
                "x-coredata://\(uuid)/Person/p0", "x-coredata://\(uuid)/Person/p-1", "x-coredata://\(uuid)/Nobody/p1",
                "x-coredata://00000000-0000-0000-0000-000000000000/Person/p1", "https://example.org/Person/p1",
                "x-coredata://\(uuid)/Person/p99999999999999999999", "x-coredata://\(uuid)/%/p1", "x-coredata://\(uuid)/Person/p1/x",
            ] {
                try expect(stack.coordinator.objectID(forURI: uri) == nil, "\(uri) is an ID")
            }
        }
        ConformanceCase("A permanent ID can be had before the save", in: .saving) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let (a, b) = (Person("a", context), Person("b", context))
            a.friends = [b]
            b.boss = a
            try context.obtainPermanentIDs(for: [a, b])
            let (idA, idB) = (a.objectID, b.objectID)
            try expect(!idA.isTemporary && !idB.isTemporary && idA != idB, "the IDs are not permanent")
            try expect(a.isInserted && context.registeredObject(for: idA) === a, "the object is not known by its new ID")
            try expectEqual(try stack.context().count(for: ObjectFetchRequest<Person>()), 0)
            try context.save()
            try expect(a.objectID == idA && b.objectID == idB, "the IDs changed at the save")
            let found = try unwrap(stack.reopened().context().existingObject(with: idB) as? Person)
            try expectEqual(found.boss?.objectID, idA)
            try expectEqual(try names(found.friends), ["a"])
        }
        ConformanceCase("References are not given out twice", in: .saving) { environment in
            var stack = try environment.stack(Models.company)
            var seen: Set<Int64> = []
            for round in 0..<5 {
                let context = stack.context()
                let people = (0..<3).map { Person("\(round) \($0)", context) }
                try context.save()
                for person in people {
                    try expect(seen.insert(person.objectID.reference).inserted, "\(person.objectID) was there before")
                    context.delete(person)
                }
                try context.save()
                stack = try stack.reopened()
            }
        }
        ConformanceCase("A permanent ID that was never saved is not given out again", in: .saving) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let lost = Person("lost", context)
            try context.obtainPermanentIDs(for: [lost])
            let id = lost.objectID
            context.rollback()
            let again = try stack.reopened()
            let other = again.context()
            let person = Person("p", other)
            try other.save()
            try expect(person.objectID != id, "\(id) was given out again")
        }
        // References that were set aside ahead of time were given out again where nothing but a permanent ID had been
        // asked for.
        ConformanceCase("Permanent IDs that several contexts ask for before any save are all different", in: .saving) { environment in
            let stack = try environment.stack(Models.company)
            let contexts = [stack.context(), stack.context()]
            for number in 1...4 {
                _ = Person("old \(number)", contexts[0])
                try contexts[0].save()
            }
            var ids: Set<ObjectID> = []
            for number in 1...6 {
                let context = contexts[number % 2]
                let person = Person("new \(number)", context)
                try context.obtainPermanentIDs(for: [person])
                try expect(ids.insert(person.objectID).inserted, "\(person.objectID) was given out twice")
            }
            for context in contexts { try context.save() }
            try expectEqual(try stack.reopened().context().count(for: ObjectFetchRequest<Person>()), 10)
        }
        ConformanceCase("Names in a URI are encoded", in: .saving) { environment in
            let model = try ManagedObjectModel { Entity("A/B ü?") { Attribute("name", .string) } }
            let stack = try environment.stack(model)
            let context = stack.context()
            let object = try context.add("A/B ü?", "x")
            try context.save()
            let uri = object.objectID.uriRepresentation
            try expect(uri.utf8.allSatisfy { $0 < 0x80 } && uri.split(separator: "/").count == 4, uri)
            try expectEqual(stack.coordinator.objectID(forURI: uri), object.objectID)
        }
    }
}
