import Strata
import StrataTestModels

extension Models {
    /// Animals with two levels of sub-entities, and what is related to any of them.
    static let zoo = ModelResult.declared {
        Entity("Animal", isAbstract: true) {
            Attribute("name", .string)
            Attribute("legs", .integer16, default: 4)
            Relationships([
                "keeper": .toOne("Keeper.animals"), "doctors": .toMany("Keeper.patients"), "parade": .toOne("Parade.animals"),
                "shows": .ordered("Parade.stars"),
            ])
        }
        Entity("Mammal", parent: "Animal", attributes: ["fur": .string], relationships: ["cage": .toOne("Cage.mammal")])
        Entity("Dog", parent: "Mammal") { Attribute("barks", .boolean) }
        Entity("Cat", parent: "Mammal") { Attribute("lives", .integer32, default: 9) }
        Entity("Bird", parent: "Animal") { Attribute("wingspan", .double) }
        Entity("Keeper") {
            Attribute("name", .string)
            Relationships([
                "animals": .toMany("Animal.keeper"), "patients": .toMany("Animal.doctors"), "favourite": .toOne("Animal"),
                "fears": .toMany("Animal"),
            ])
        }
        Entity("Parade") {
            Attribute("name", .string)
            Relationships(["animals": .ordered("Animal.parade"), "stars": .ordered("Animal.shows")])
        }
        Entity("Cage", attributes: ["name": .string], relationships: ["mammal": .toOne("Mammal.cage")])
    }
}

extension ManagedObjectContext {
    /// A new object of an entity with a name.
    @discardableResult
    func add(_ entity: String, _ name: String, _ values: [String: Any] = [:]) throws -> ManagedObject {
        let object = try insert(entity)
        try object.setValue(name, forKey: "name")
        for (key, value) in values { try object.setValue(value, forKey: key) }
        return object
    }

    /// Five new animals, and a keeper of some of them.
    @discardableResult
    func addKeeper() throws -> (animals: [ManagedObject], keeper: ManagedObject) {
        let animals = try ["Dog", "Cat", "Bird", "Mammal", "Dog"].enumerated().map { try add($1, "\($1) \($0)") }
        let keeper = try add("Keeper", "k")
        try keeper.setValue(animals[1], forKey: "favourite")
        try keeper.setValue(Set(animals[0...2]), forKey: "animals")
        try keeper.setValue(Set(animals[2...4]), forKey: "patients")
        return (animals, keeper)
    }

    /// What the context sees of all objects of some entities that have names, a line for each.
    func dump(_ entities: [String]) throws -> [String] {
        var lines: [String] = []
        for entity in entities {
            for object in try all(entity, sort: [QuerySort("name")]) {
                var line = try object.text("name") ?? "nil"
                for relationship in object.entity.relationships {
                    let members = try object.namesOfMembers(relationship)
                    if !members.isEmpty { line += " \(relationship.name):\(members.joined(separator: ","))" }
                }
                lines.append(line)
            }
        }
        return lines
    }

    /// The one object of an entity with a name.
    func one(_ entity: String, _ name: String, line: Int = #line) throws -> ManagedObject {
        let found = try all(entity, key("name") == .string(name))
        try expectEqual(found.count, 1, "objects \(entity) named \(name)", line: line)
        return found[0]
    }
}

extension ManagedObject {
    /// The object at the end of a to-one relationship.
    func one(_ key: String) throws -> ManagedObject? { try value(forKey: key) as? ManagedObject }

    /// The objects at the end of a to-many relationship.
    func many(_ key: String) throws -> Set<ManagedObject> { try unwrap(value(forKey: key) as? Set<ManagedObject>, "\(key) is no set") }

    /// The objects at the end of an ordered relationship.
    func ordered(_ key: String) throws -> [ManagedObject] { try unwrap(value(forKey: key) as? [ManagedObject], "\(key) is no array") }

    /// Relates the object to others, in the way of the relationship.
    func relate(_ relationship: RelationshipDescription, to objects: [ManagedObject]) throws {
        if !relationship.isToMany {
            try setValue(objects.first, forKey: relationship.name)
        } else if relationship.isOrdered {
            try setValue(objects, forKey: relationship.name)
        } else {
            try setValue(Set(objects), forKey: relationship.name)
        }
    }

    /// The objects that a relationship references.
    func members(_ relationship: RelationshipDescription) throws -> [ManagedObject] {
        if !relationship.isToMany { return try one(relationship.name).map { [$0] } ?? [] }
        return relationship.isOrdered ? try ordered(relationship.name) : Array(try many(relationship.name))
    }

    /// Returns the names of the objects that a relationship references: in its order, or sorted where it is not
    /// ordered.
    func namesOfMembers(_ relationship: RelationshipDescription) throws -> [String] {
        let members = try members(relationship)
        return relationship.isOrdered ? try inOrder(members) : try names(members)
    }

    /// The text of an attribute.
    func text(_ key: String) throws -> String? { try value(forKey: key) as? String }
}
