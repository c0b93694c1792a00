import Strata

/// Opening a store with a version of the model that has other relationships.
enum RelationshipMigrationCases {
    /// A pair of relationships between persons and pets.
    private static func model(
        _ owner: Relationship?, _ pets: Relationship?, isNew: Bool = false
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Person") {
                Attribute("name", .string)
                if let pets { pets }
                if isNew { Attribute("added", .integer64) }
            }
            Entity("Pet") {
                Attribute("name", .string)
                if let owner { owner }
            }
        }
    }

    private static func owner(_ cardinality: Relationship.Cardinality = .toOne, inverse: String? = "pets") -> Relationship {
        Relationship("owner", to: "Person", inverse: inverse, cardinality)
    }

    private static func pets(_ cardinality: Relationship.Cardinality = .toMany, inverse: String? = "owner") -> Relationship {
        Relationship("pets", to: "Pet", inverse: inverse, cardinality)
    }

    /// Fills a store of a first version: person p has the pets that `links` name.
    private static func fill(
        _ environment: ConformanceEnvironment, _ name: String, _ model: ManagedObjectModel, _ links: [String: [String]], from key: String
    ) throws -> ConformanceStack {
        let stack = try environment.stack(model, name)
        let context = stack.context()
        let persons = try Dictionary(uniqueKeysWithValues: ["p", "q", "r"].map { ($0, try context.add("Person", $0)) })
        let animals = try Dictionary(uniqueKeysWithValues: ["u", "v", "w", "x"].map { ($0, try context.add("Pet", $0)) })
        for (name, others) in links.sorted(by: { $0.key < $1.key }) {
            let object = try unwrap(persons[name] ?? animals[name])
            let destinations = others.compactMap { animals[$0] ?? persons[$0] }
            let relationship = try unwrap(object.entity.relationship(named: key))
            try object.setValue(relationship.isToMany ? destinations as Any : destinations[0], forKey: key)
        }
        try context.save()
        return stack
    }

    static var all: [ConformanceCase] { cardinality + inverses }

    @ConformanceCaseList private static var cardinality: [ConformanceCase] {
        ConformanceCase("To-one relationships become to-many and back", in: .migration, requires: .persistence) { environment in
            let oneToMany = try model(owner(), pets())
            let manyToMany = try model(owner(.toMany), pets())
            let oneToOne = try model(owner(), pets(.toOne))
            let manyToOne = try model(owner(.toMany), pets(.toOne))
            let links = ["p": ["v", "u"], "q": ["x"]]
            let whole = [
                "Person p: pets=[u v]", "Person q: pets=[x]", "Person r", "Pet u: owner=[p]", "Pet v: owner=[p]", "Pet w",
                "Pet x: owner=[q]",
            ]
            func single(_ lines: [String]) -> [String] {
                lines.map { $0.replacing("owner=[p]", with: "owner=p").replacing("owner=[q]", with: "owner=q") }
            }
            let first = try fill(environment, "a", oneToMany, links, from: "pets")
            try expectEqual(try first.contents(), single(whole))
            let second = try first.reopened(model: manyToMany)
            try expectEqual(try second.contents(), whole)
            let context = second.context()
            try context.one("Pet", "u").setValue(Set([try context.one("Person", "p"), try context.one("Person", "q")]), forKey: "owner")
            try context.save()
            // Of several destinations the one with the least reference stays.
            let third = try second.reopened(model: oneToMany)
            try expectEqual(try third.contents(), single(whole))
            // Of several objects that reference one, too.
            let fourth = try third.reopened(model: oneToOne)
            let reduced = ["Person p: pets=u", "Person q: pets=x", "Person r", "Pet u: owner=p", "Pet v", "Pet w", "Pet x: owner=q"]
            try expectEqual(try fourth.contents(), reduced)
            let fifth = try fourth.reopened(model: manyToOne)
            try expectEqual(
                try fifth.contents(),
                ["Person p: pets=u", "Person q: pets=x", "Person r", "Pet u: owner=[p]", "Pet v", "Pet w", "Pet x: owner=[q]"])
            let sixth = try fifth.reopened(model: oneToMany)
            try expectEqual(
                try sixth.contents(),
                ["Person p: pets=[u]", "Person q: pets=[x]", "Person r", "Pet u: owner=p", "Pet v", "Pet w", "Pet x: owner=q"])
            try expectEqual(try sixth.problems(), [])
        }
        ConformanceCase("Many-to-many relationships become one-to-one", in: .migration, requires: .persistence) { environment in
            let stack = try fill(
                environment, "a", try model(owner(.toMany), pets()), ["p": ["u", "v"], "q": ["u", "v"], "r": ["w"]], from: "pets")
            let after = try stack.reopened(model: try model(owner(), pets(.toOne)))
            // A pair stays where each is the other's first.
            try expectEqual(
                try after.contents(),
                ["Person p: pets=u", "Person q", "Person r: pets=w", "Pet u: owner=p", "Pet v", "Pet w: owner=r", "Pet x"])
            try expectEqual(try after.problems(), [])
        }
        ConformanceCase("Orders are made, kept and given up", in: .migration, requires: .persistence) { environment in
            let links = ["p": ["x", "u", "w"]]
            let ordered = try fill(environment, "a", try model(owner(), pets(.ordered)), links, from: "pets")
            let both = try ordered.reopened(model: try model(owner(.ordered), pets(.ordered)))
            try expectEqual(
                try both.contents(),
                ["Person p: pets=(x u w)", "Person q", "Person r", "Pet u: owner=(p)", "Pet v", "Pet w: owner=(p)", "Pet x: owner=(p)"])
            let back = try both.reopened(model: try model(owner(), pets(.ordered)))
            try expectEqual(try back.contents()[0], "Person p: pets=(x u w)")
            let more = try back.reopened(model: try model(owner(), pets(.ordered), isNew: true))
            try expectEqual(try more.contents()[0], "Person p: pets=(x u w)")
            let unordered = try more.reopened(model: try model(owner(), pets()))
            try expectEqual(try unordered.contents()[0], "Person p: pets=[u w x]")
            // Those that had no order come in the order of their references, which is that of their insertion at most.
            let made = try unordered.reopened(model: try model(owner(), pets(.ordered)))
            let context = made.context()
            let members = try context.one("Person", "p").ordered("pets")
            try expectEqual(try names(members), ["u", "w", "x"])
            try context.one("Person", "p").setValue([members[2], members[0], members[1]], forKey: "pets")
            try context.save()
            let expected = try inOrder([members[2], members[0], members[1]])
            let again = try made.reopened()
            try expectEqual(try inOrder(again.context().one("Person", "p").ordered("pets")), expected)
        }
    }

    @ConformanceCaseList private static var inverses: [ConformanceCase] {
        // The rows of the other store's entity got an unexpected reference: it opened as corrupt, or not at all.
        ConformanceCase(
            "A relationship without inverse is added that leads from one configuration to another", in: .migration, requires: .persistence
        ) { environment in
            func model(_ cardinality: Relationship.Cardinality?) throws -> ManagedObjectModel {
                try ManagedObjectModel {
                    Entity("Tag") { Attribute("name", .string) }
                    Entity("Note") {
                        Attribute("name", .string)
                        if let cardinality { Relationship("tags", to: "Tag", cardinality) }
                    }
                    EntityConfiguration("tags", "Tag")
                    EntityConfiguration("notes", "Note")
                }
            }
            for (number, cardinality) in [Relationship.Cardinality.toMany, .ordered].enumerated() {
                let stores = ["tags", "notes"].map { (name: String) in environment.description(name + "\(number)", configuration: name) }
                var stack = try environment.stack(try model(nil), stores: stores)
                let context = stack.context()
                try context.add("Tag", "t")
                try context.add("Note", "n")
                try context.save()
                for version in [cardinality, nil] {
                    stack = try stack.reopened(model: try model(version))
                    try expectEqual(try names(stack.context().all("Tag")), ["t"])
                    try expectEqual(try names(stack.context().all("Note")), ["n"])
                }
            }
        }
        // Objects of the new destination got the inverse of those that the relationship had referenced, by their numbers.
        ConformanceCase("A relationship that gets another destination and an inverse is empty", in: .migration, requires: .persistence) {
            environment in
            func model(_ isNew: Bool) throws -> ManagedObjectModel {
                try ManagedObjectModel {
                    Entity("Album") {
                        Attribute("name", .string)
                        Relationship("cover", to: isNew ? "Picture" : "Work", inverse: isNew ? "album" : nil)
                    }
                    Entity("Work") { Attribute("name", .string) }
                    Entity("Picture") {
                        Attribute("name", .string)
                        if isNew { Relationship("album", to: "Album", inverse: "cover") }
                    }
                }
            }
            let stack = try environment.stack(try model(false))
            let context = stack.context()
            let album = try context.add("Album", "a")
            try album.setValue(try context.add("Work", "w"), forKey: "cover")
            try context.add("Picture", "p")
            try context.save()
            let after = try stack.reopened(model: try model(true))
            try expectEqual(try after.problems(), [])
            try expect(try after.context().one("Picture", "p").value(forKey: "album") == nil, "the picture is a cover")
            try expect(try after.context().one("Album", "a").value(forKey: "cover") == nil, "the album has a cover")
        }
        // What lay in the rows of other entities stayed there in SQLite, and was read as destinations that cannot be.
        ConformanceCase("A relationship without inverse comes to lead to a sub-entity", in: .migration, requires: .persistence) {
            environment in
            for cardinality in [Relationship.Cardinality.toMany, .ordered, .toOne] {
                func model(_ destination: String) throws -> ManagedObjectModel {
                    try ManagedObjectModel {
                        Entity("A") {
                            Attribute("name", .string)
                            Relationship("r", to: destination, cardinality)
                        }
                        Entity("B") { Attribute("name", .string) }
                        Entity("C", parent: "B")
                    }
                }
                var stack = try environment.stack(try model("B"), "store\(cardinality)")
                let context = stack.context()
                let (a, b, c) = (try context.add("A", "a"), try context.add("B", "b"), try context.add("C", "c"))
                let other = try context.add("A", "other")
                if cardinality == .toOne {
                    try a.setValue(b, forKey: "r")
                    try other.setValue(c, forKey: "r")
                } else {
                    try a.setValue(cardinality == .ordered ? [b, c] as Any : Set([b, c]) as Any, forKey: "r")
                }
                try context.save()
                stack = try stack.reopened(model: try model("C"))
                let editor = stack.context()
                func destinations(_ name: String) throws -> [String] {
                    let object = try editor.one("A", name)
                    return try object.objectIDs(forRelationshipNamed: "r").map { try editor.existingObject(with: $0).text("name") ?? "" }
                }
                try expectEqual(try destinations("a"), cardinality == .toOne ? [] : ["c"], "\(cardinality)")
                try expectEqual(try destinations("other"), cardinality == .toOne ? ["c"] : [], "\(cardinality)")
                for object in try editor.all("A") + editor.all("B") { editor.delete(object) }
                try editor.save()
                try expectEqual(try stack.context().all("B").count, 0)
            }
        }
        ConformanceCase("Inverses are added and dropped", in: .migration, requires: .persistence) { environment in
            let oneWay = try model(owner(inverse: nil), nil)
            let first = try fill(environment, "a", oneWay, ["u": ["p"], "v": ["p"], "x": ["q"]], from: "owner")
            let both = try first.reopened(model: try model(owner(), pets()))
            let whole = [
                "Person p: pets=[u v]", "Person q: pets=[x]", "Person r", "Pet u: owner=p", "Pet v: owner=p", "Pet w", "Pet x: owner=q",
            ]
            try expectEqual(try both.contents(), whole)
            let otherWay = try both.reopened(model: try model(nil, pets(inverse: nil)))
            try expectEqual(
                try otherWay.contents(), ["Person p: pets=[u v]", "Person q: pets=[x]", "Person r", "Pet u", "Pet v", "Pet w", "Pet x"])
            let again = try otherWay.reopened(model: try model(owner(), pets()))
            try expectEqual(try again.contents(), whole)
            let back = try again.reopened(model: oneWay)
            // At most one object may reference each, once both are to-one.
            let oneToOne = try back.reopened(model: try model(owner(), pets(.toOne)))
            try expectEqual(
                try oneToOne.contents(),
                ["Person p: pets=u", "Person q: pets=x", "Person r", "Pet u: owner=p", "Pet v", "Pet w", "Pet x: owner=q"])
            try expectEqual(try oneToOne.problems(), [])
        }
        ConformanceCase("A relationship that is its own inverse becomes a pair, and a pair one", in: .migration, requires: .persistence) {
            environment in
            func model(_ relationships: Relationship...) throws -> ManagedObjectModel {
                try ManagedObjectModel(entities: [Entity("Node") { [Attribute("name", .string)] }.with { $0.relationships = relationships }]
                )
            }
            let own = try model(Relationship("peers", to: "Node", inverse: "peers", .toMany))
            let pair = try model(
                Relationship("peers", to: "Node", inverse: "others", .toMany), Relationship("others", to: "Node", inverse: "peers", .toMany)
            )
            let stack = try environment.stack(own)
            let context = stack.context()
            let nodes = try ["a", "b", "c"].map { try context.add("Node", $0) }
            try nodes[0].setValue(Set([nodes[1], nodes[0]]), forKey: "peers")
            try context.save()
            let second = try stack.reopened(model: pair)
            try expectEqual(try second.contents(), ["Node a: others=[a b] peers=[a b]", "Node b: others=[a] peers=[a]", "Node c"])
            let editor = second.context()
            try editor.one("Node", "c").setValue(Set([try editor.one("Node", "b")]), forKey: "peers")
            try editor.save()
            let third = try second.reopened(model: own)
            try expectEqual(try third.contents(), ["Node a: peers=[a b]", "Node b: peers=[a c]", "Node c: peers=[b]"])
            try expectEqual(try third.problems(), [])
        }
        ConformanceCase("Relationships are renamed at both ends", in: .migration, requires: .persistence) { environment in
            for isToMany in [false, true] {
                let name = "store \(isToMany)"
                let first = try fill(
                    environment, name, try model(owner(isToMany ? .toMany : .toOne), pets(.ordered)), ["p": ["w", "u"]], from: "pets")
                let after = try first.reopened(
                    model: try ManagedObjectModel {
                        Entity("Human") {
                            Attribute("name", .string)
                            Relationship("animals", to: "Animal", inverse: "keeper", .ordered).renamed(from: "pets")
                        }.with { $0.renamingIdentifier = "Person" }
                        Entity("Animal") {
                            Attribute("name", .string)
                            Relationship("keeper", to: "Human", inverse: "animals", isToMany ? .toMany : .toOne).renamed(from: "owner")
                        }.with { $0.renamingIdentifier = "Pet" }
                    })
                let keeper = isToMany ? "keeper=[p]" : "keeper=p"
                try expectEqual(
                    try after.contents(),
                    ["Animal u: \(keeper)", "Animal v", "Animal w: \(keeper)", "Animal x", "Human p: animals=(w u)", "Human q", "Human r"])
            }
        }
        ConformanceCase(
            "A required relationship without a destination is refused, and nothing changes", in: .migration, requires: .persistence
        ) {
            environment in
            let first = try model(owner(), pets())
            let stack = try fill(environment, "a", first, ["p": ["u", "v", "w"]], from: "pets")
            let before = try stack.contents()
            let error = try expectStoreError(.migration) { try stack.reopened(model: try model(owner().required, pets())) }
            try expectEqual([error.entity, error.key], ["Pet", "owner"])
            try expectEqual(error.cocoaCode, 134110)
            let again = try environment.stack(first, "a")
            try expectEqual(try again.contents(), before)
            let context = again.context()
            context.delete(try context.one("Pet", "x"))
            try context.save()
            let required = try again.reopened(model: try model(owner().required, pets()))
            try expectEqual(try required.contents().count, 6)
        }
    }
}
