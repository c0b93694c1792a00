import CoreData

final class User: NSManagedObject {
    @NSManaged var id: String?
    @NSManaged var name: String?
    @NSManaged var age: Int16
}

/// Users with an ID that is theirs alone.
@MainActor
enum Users {
    static let model: NSManagedObjectModel = {
        let user = entity(
            "User", User.self,
            [
                attribute("id", .stringAttributeType), attribute("name", .stringAttributeType),
                attribute("age", .integer16AttributeType, default: 0),
            ])
        user.uniquenessConstraints = [["id"]]
        return makeModel(user)
    }()

    static let five: [[String: Any]] = [
        ["id": "0001", "name": "张三", "age": 2], ["id": "0002", "name": "张四", "age": 6], ["id": "0003", "name": "张五", "age": 8],
        ["id": "0004", "name": "张六", "age": 16], ["id": "0005", "name": "张七", "age": 18],
    ]

    /// Saves a user for each dictionary.
    static func insert(_ users: [[String: Any]], into context: NSManagedObjectContext) throws {
        for values in users {
            let user = NSEntityDescription.insertNewObject(forEntityName: "User", into: context)
            for (key, value) in values { user.setValue(value, forKey: key) }
        }
        try context.save()
    }

    /// A stack whose store has the five users.
    static func stack(_ kind: StoreKind) throws -> Stack {
        let stack = try Stack(model, kind)
        try insert(five, into: stack.context)
        return stack
    }

    static func all(_ context: NSManagedObjectContext, _ predicate: NSPredicate? = nil) throws -> [User] {
        let request = NSFetchRequest<User>(entityName: "User")
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(key: "id", ascending: true)]
        return try context.fetch(request)
    }
}

extension Users {
    nonisolated static func count(_ context: NSManagedObjectContext) throws -> Int {
        try context.count(for: NSFetchRequest<User>(entityName: "User"))
    }
}
