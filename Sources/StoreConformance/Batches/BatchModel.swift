import Strata
import StrataTestModels

extension Models {
    /// Users, as the article that describes batch requests has them, with teams they are in.
    static let users = ModelResult.declared {
        Entity("User") {
            Attribute("id", .string).required
            Attribute("name", .string)
            Attribute("age", .integer16, default: 1)
            Attribute("level", .integer32, default: 7)
            Attribute("score", .double)
            Attribute("scratch", .string).transient
            Relationships([
                "team": .toOne("Team.users"), "lane": .toOne("Lane.runners"), "mentor": .toOne("User.pupil"),
                "pupil": .toOne("User.mentor"),
            ])
            Unique("id")
            FetchIndex("byAge", on: "age")
        }
        Entity("Admin", parent: "User") {
            Attribute("badge", .integer64, default: 3)
            Unique("badge", "name")
        }
        Entity("Guest", parent: "User") { Attribute("badge", .integer64) }
        Entity("Team", attributes: ["name": .string], relationships: ["users": .toMany("User.team")])
        Entity("Lane", attributes: ["name": .string], relationships: ["runners": .ordered("User.lane")])
    }
}

extension ManagedObjectContext {
    /// The values of users, by ID: name and age.
    func users(_ predicate: QueryPredicate? = nil) throws -> [String] {
        try all("User", predicate, sort: [QuerySort("id")]).map { user in
            "\(try user.text("id") ?? "nil") \(try user.text("name") ?? "nil") \(try user.value(forKey: "age") as? Int ?? -1)"
        }
    }
}

extension ManagedObjectContext {
    /// Saves the users under ten as a team.
    @discardableResult
    func team() throws -> ManagedObject {
        let team = try add("Team", "blue")
        try team.setValue(Set(all("User", key("age") < 10)), forKey: "users")
        try save()
        return team
    }
}

extension ConformanceStack {
    /// Five users, 0001 to 0005, inserted at once.
    @discardableResult
    func fiveUsers() throws -> BatchResult {
        var request = BatchInsertRequest(
            entityName: "User",
            objects: [
                ["id": "0001", "name": "张三", "age": 2],
                ["id": "0002", "name": "张四", "age": 6],
                ["id": "0003", "name": "张五", "age": 8],
                ["id": "0004", "name": "张六", "age": 16],
                ["id": "0005", "name": "张七", "age": 18],
            ])
        request.resultType = .objectIDs
        return try coordinator.execute(request)
    }
}
