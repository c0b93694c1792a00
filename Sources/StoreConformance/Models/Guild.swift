import FoundationEssentials
import Strata
import StrataTestModels

/// The model of generated queries: every kind of attribute and of relationship, indexes, and entities within entities.
enum Guild {
    static let model = ModelResult.declared {
        Entity("Member") {
            Attributes([
                "number": .integer64, "age": .integer16, "score": .double, "price": .decimal, "name": .string, "nick": .string,
                "paid": .boolean, "born": .date, "tag": .uuid,
            ])
            Relationships([
                "boss": .toOne("Member.staff"), "staff": .toMany("Member.boss"), "friends": .toMany("Member.friends"),
                "house": .toOne("House.members"), "skills": .toMany("Skill.members"),
            ])
            FetchIndex("byAge", on: "age")
            FetchIndex("byName", on: "name")
        }
        Entity("Master", parent: "Member", attributes: ["budget": .integer64], relationships: ["owned": .toMany("House.owner")])
        Entity("House") {
            Attributes(["name": .string, "rating": .double])
            Relationships([
                "members": .toMany("Member.house"), "owner": .toOne("Master.owned"), "rooms": .ordered("Room.house"),
            ])
            FetchIndex("byRating", on: "rating")
        }
        Entity("Room", attributes: ["name": .string, "size": .integer32], relationships: ["house": .toOne("House.rooms")])
        Entity("Skill", attributes: ["name": .string, "level": .integer16], relationships: ["members": .toMany("Member.skills")])
    }

    static let names = ["", "a", "A", "ab", "Ab", "ä", "a\u{308}", "b%", "a_b", "ß", "SS", "zoë", "O'Hara", "x*y", "q?"]
    static let memberCount = 36

    /// Fills a store with the same objects each time.
    static func fill(_ context: ManagedObjectContext) throws {
        var generator = SeededGenerator(seed: 77)
        func maybe(_ object: ManagedObject, _ key: String, _ value: Any) throws {
            if !generator.chance(20) { try object.setValue(value, forKey: key) }
        }
        func some(_ objects: [ManagedObject], _ most: Int) -> [ManagedObject] {
            (0..<generator.below(most + 1)).map { _ in objects[generator.below(objects.count)] }
        }
        func unique(_ objects: [ManagedObject]) -> [ManagedObject] {
            var seen: Set<ManagedObject> = []
            return objects.filter { seen.insert($0).inserted }
        }
        let skills = try (0..<6).map { index in
            let skill = try context.insert("Skill")
            try maybe(skill, "name", names[generator.below(names.count)])
            try maybe(skill, "level", index - 2)
            return skill
        }
        let rooms = try (0..<9).map { index in
            let room = try context.insert("Room")
            try maybe(room, "name", names[generator.below(names.count)])
            try maybe(room, "size", index % 4)
            return room
        }
        let houses = try (0..<5).map { _ in
            let house = try context.insert("House")
            try maybe(house, "name", names[generator.below(names.count)])
            try maybe(house, "rating", [0, 1.5, -2, Double.nan, 3][generator.below(5)])
            return house
        }
        var members: [ManagedObject] = []
        for index in 0..<memberCount {
            let member = try context.insert(index % 5 == 4 ? "Master" : "Member")
            try member.setValue(index, forKey: "number")
            try maybe(member, "age", generator.below(9) - 2)
            try maybe(member, "score", [0, -0.0, 1.5, -2, Double.infinity, .nan, 3, 2.25][generator.below(8)])
            try maybe(member, "price", Decimal(generator.below(9)) / 4 - 1)
            try maybe(member, "name", names[generator.below(names.count)])
            try maybe(member, "nick", names[generator.below(names.count)])
            try maybe(member, "paid", generator.chance(50))
            try maybe(member, "born", Date(timeIntervalSinceReferenceDate: Double(generator.below(5)) * 3600))
            try maybe(member, "tag", UUID(uuid: (UInt8(generator.below(4)), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
            if index % 5 == 4 { try maybe(member, "budget", generator.below(1000)) }
            if !members.isEmpty, !generator.chance(30) { try member.setValue(members[generator.below(members.count)], forKey: "boss") }
            if !generator.chance(25) { try member.setValue(houses[generator.below(houses.count)], forKey: "house") }
            try member.setValue(Set(some(skills, 4)), forKey: "skills")
            try member.setValue(Set(some(members + [member], 3)), forKey: "friends")
            members.append(member)
        }
        for house in houses {
            if !generator.chance(30) { try house.setValue(members[5 * generator.below(7) + 4], forKey: "owner") }
            try house.setValue(unique(some(rooms, 3)), forKey: "rooms")
        }
    }
}
