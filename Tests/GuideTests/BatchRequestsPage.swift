import Strata

/// The code of the guide "Batch requests".
enum BatchRequestsPage {
    final class User: ManagedObject {
        static let id = Key<String>("id")
        static let name = Key<String>("name")
        static let age = Key<Int>("age")
    }

    static func insert(_ context: ManagedObjectContext) throws -> [ObjectID] {
        var request = BatchInsertRequest(
            entityName: "User",
            objects: [
                ["id": "0001", "name": "Zhang San", "age": 2],
                ["id": "0002", "name": "Li Si"],
            ])
        request.resultType = .objectIDs
        let result = try context.execute(request)
        return result.objectIDs
    }

    static func insertRows(_ file: [(id: String, name: String)], _ context: ManagedObjectContext) throws {
        var lines = file.makeIterator()
        try context.execute(
            BatchInsertRequest(entityName: "User") { (row: inout BatchRow) in
                guard let line = lines.next() else { return true }  // no more
                row[User.id] = line.id
                row[User.name] = line.name
                return false
            })
    }

    static func relate(_ team: ObjectID, _ context: ManagedObjectContext) throws {
        try context.execute(
            BatchInsertRequest(
                entityName: "User",
                objects: [
                    ["id": "0003", "team": .objectID(team), "skills.name": .list(["Swift", "SQL"])],
                    ["id": "0004", "mentor.id": "0003"],
                ]))
    }

    static func update(_ context: ManagedObjectContext) throws {
        try context.execute(
            BatchUpdateRequest(
                entityName: "User", key("age") < 10,
                set: [
                    "name": QueryExpression.constant("Li Si"),
                    "age": key("age") + 1,
                ]))
    }

    static func delete(_ ids: [ObjectID], _ context: ManagedObjectContext) throws {
        try context.execute(
            BatchDeleteRequest(fetchRequest: ObjectFetchRequest<User>(User.age < 10, sort: [User.age.ascending], limit: 1000)))
        try context.execute(BatchDeleteRequest(objectIDs: ids))
    }

    static func merge(_ request: BatchInsertRequest, _ context: ManagedObjectContext, _ background: BackgroundContext) async throws {
        let result = try context.execute(request)
        ManagedObjectContext.mergeChanges(fromRemoteContextSave: result.changes, into: [context])
        await BackgroundContext.mergeChanges(fromRemoteContextSave: result.changes, into: [background])
    }

    static func policy(_ context: ManagedObjectContext) {
        context.mergePolicy = MergePolicy("sum") { conflict in
            guard case .int(let mine)? = conflict.values["count"], case .int(let theirs)? = conflict.stored["count"],
                case .int(let before)? = conflict.base["count"]
            else { return .error }
            return .values(["count": .int(mine + theirs - before)])
        }
    }
}
