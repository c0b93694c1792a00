import Strata

/// What batch requests changed, merged into contexts that do not know of it.
enum RemoteChangesCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Updated objects have their old values until the changes are merged", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            let context = stack.context()
            let users = try context.all("User", key("age") < 10, sort: [QuerySort("id")])
            try expectEqual(try inOrder(users), ["张三", "张四", "张五"])
            var request = BatchUpdateRequest(entityName: "User", key("age") < 10, set: ["name": "李四"])
            request.resultType = .objectIDs
            request.mergesIntoContexts = false
            let ids = try context.execute(request).objectIDs
            try expectEqual(try inOrder(users), ["张三", "张四", "张五"])
            ManagedObjectContext.mergeChanges(fromRemoteContextSave: [.updated: ids], into: [context])
            try expectEqual(try inOrder(users), ["李四", "李四", "李四"])
            try expect(!context.hasChanges, "merging is a change")
        }
        ConformanceCase("Deleted objects have their values until the changes are merged, and none after", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            let context = stack.context()
            let user = try context.one("User", "张三")
            let other = try context.one("User", "张四")
            var request = BatchDeleteRequest(entityName: "User", key("age") == 2)
            request.resultType = .objectIDs
            request.mergesIntoContexts = false
            let result = try context.execute(request)
            try expectEqual(try user.text("id"), "0001")
            ManagedObjectContext.mergeChanges(fromRemoteContextSave: result.changes, into: [context])
            try expectEqual(try user.text("id"), nil)
            try expect(user.isDeleted && !context.hasChanges, "the object is not gone")
            try expectEqual(try other.text("id"), "0002")
            try expectEqual(try context.users().count, 4)
            try context.save()
        }
        ConformanceCase("Merging keeps the changes that are not saved, and saves them over the new values", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            let ids = try stack.fiveUsers().objectIDs
            let context = stack.context()
            let user = try context.one("User", "张三")
            try user.setValue("mine", forKey: "name")
            try stack.context().execute(BatchUpdateRequest(entityName: "User", set: ["age": 77, "name": "theirs"]))
            context.mergeChanges(fromRemoteContextSave: RemoteChanges(updated: ids))
            try expectEqual(try user.text("name"), "mine")
            try expectEqual(try user.value(forKey: "age") as? Int, 77)
            try context.save()
            try expectEqual(try stack.reopened().context().users(key("name") == "mine"), ["0001 mine 77"])
        }
        ConformanceCase("Changes of an object that was deleted go when the deletion is merged", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            let ids = try stack.fiveUsers().objectIDs
            let context = stack.context()
            let user = try context.one("User", "张三")
            try user.setValue("mine", forKey: "name")
            try stack.context().execute(BatchDeleteRequest(objectIDs: [ids[0]]))
            context.mergeChanges(fromRemoteContextSave: [.deleted: [ids[0]]])
            try expect(!context.hasChanges, "there are changes")
            try context.save()
            try expectEqual(try stack.context().users().count, 4)
        }
        ConformanceCase("What led to objects of which only the deletion is told is saved as what the store made of it", in: .batches) {
            environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let (boss, friend) = (Person("Boss", context), Person("Friend", context))
            let (anna, ben) = (Person("Anna", context), Person("Ben", context))
            for person in [anna, ben] {
                person.boss = boss
                person.friends = [friend]
            }
            try context.save()
            ben.age = 7
            var request = BatchDeleteRequest(objectIDs: [boss.objectID, friend.objectID])
            request.mergesIntoContexts = false
            try context.execute(request)
            context.mergeChanges(fromRemoteContextSave: [.deleted: [boss.objectID, friend.objectID]])
            try expect(anna.boss == nil && ben.boss == nil, "a boss who is gone is there")
            try expect(anna.friends.isEmpty && ben.friends.isEmpty, "a friend who is gone is there")
            try expectEqual(ben.age, 7)
            anna.age = 8
            try context.save()
            try expectEqual(try stack.reopened().context().all("Person", sort: [QuerySort("name")]).map { ($0 as? Person)?.age }, [8, 7])
        }
        ConformanceCase("Relationships are loaded anew after a merge", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            let context = stack.context()
            let team = try context.team()
            try expectEqual(try team.many("users").count, 3)
            let member = try context.one("User", "张三")
            let newcomer = try context.one("User", "张七")
            team.add(newcomer, to: ToMany<ManagedObject>("users"))
            var request = BatchDeleteRequest(entityName: "User", key("age") == 2)
            request.resultType = .objectIDs
            context.mergeChanges(fromRemoteContextSave: try context.execute(request).changes)
            try expectEqual(try names(team.many("users")), ["张五", "张四", "张七"].sorted())
            try expect(member.isDeleted, "the member is there")
            var teams = BatchDeleteRequest(entityName: "Team")
            teams.resultType = .objectIDs
            let users = try team.many("users")
            let changes = try context.execute(teams).changes
            try expectEqual(changes.updated.count, 2)
            context.rollback()
            context.mergeChanges(fromRemoteContextSave: changes)
            for user in users { try expect(try user.one("team") == nil, "the team is there") }
        }
        ConformanceCase("Inserted objects are there after a merge, and make no objects by themselves", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            let context = stack.context()
            let ids = try stack.fiveUsers().objectIDs
            let early = context.object(with: ids[0])
            context.mergeChanges(fromRemoteContextSave: RemoteChanges(inserted: ids))
            try expectEqual(context.registeredObjects, [early])
            try expectEqual(try early.text("name"), "张三")
            try expectEqual(try context.existingObjects(with: ids).count, 5)
        }
        ConformanceCase("Changes are told by URI too", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            let ids = try stack.fiveUsers().objectIDs
            let context = stack.context()
            let user = try context.one("User", "张三")
            try stack.context().execute(BatchUpdateRequest(entityName: "User", set: ["name": "x"]))
            let uris = ids.map(\.uriRepresentation) + ["x-coredata://elsewhere/User/p1", "nonsense"]
            let changes = RemoteChanges(uris: [.updated: uris], in: stack.coordinator)
            try expectEqual(changes, RemoteChanges(updated: ids))
            context.mergeChanges(fromRemoteContextSave: changes)
            try expectEqual(try user.text("name"), "x")
        }
        ConformanceCase("Contexts on queues of their own take changes over", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            let ids = try stack.fiveUsers().objectIDs
            let background = stack.container.newBackgroundContext()
            let id = ids[0]
            let keeper = Keeper()
            let before = try await background.perform { context in
                keeper.object = context.object(with: id)
                return try keeper.object?.text("name")
            }
            try expectEqual(before, "张三")
            var request = BatchUpdateRequest(entityName: "User", set: ["name": "x"])
            request.mergesIntoContexts = false
            try stack.context().execute(request)
            try expectEqual(try await background.perform { _ in try keeper.object?.text("name") }, "张三")
            await BackgroundContext.mergeChanges(fromRemoteContextSave: [.updated: ids], into: [background])
            try expectEqual(try await background.perform { _ in try keeper.object?.text("name") }, "x")
            background.performAndWait { _ in keeper.object = nil }
        }
    }
}

/// Keeps an object alive from one block of a context to the next.
// Unchecked: touched in the blocks of one context only.
private final class Keeper: @unchecked Sendable {
    var object: ManagedObject?
}
