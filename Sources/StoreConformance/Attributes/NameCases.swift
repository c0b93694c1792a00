import FoundationEssentials
import Strata
import StrataTestModels

/// Names of entities and properties that a store might take for something else.
enum NameCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        check(
            "Entities and attributes may be named like keywords of SQL",
            ["SELECT", "Table", "Order", "Group", "Where", "Index", "From", "Values", "Transaction"],
            ["select", "table", "order", "group", "where", "index", "from", "values", "null", "primary", "rowid", "default", "limit"]
        )
        check(
            "Names may hold quotes, markup and wild cards",
            ["It's", "A\"B", "A;B--", "A<B>&C", "]]>", "A%B_C", "A\\B", "A B", "A/B", "A=B"],
            ["it's", "a\"b", "a;b--", "a<b>&c", "]]>", "a%b_c", "a\\b", "a b", "a/b", "a=b", "'", "\"", "&amp;"]
        )
        ConformanceCase("A property may be named like any word of the predicate format but SELF", in: .attributes) { environment in
            let words = [
                "and", "OR", "Not", "any", "SOME", "all", "None", "in", "BETWEEN", "contains", "beginsWith", "ENDSWITH", "like", "matches",
                "null", "NIL", "true", "YES", "false", "no", "Self", "anykey", "TRUEPREDICATE", "falsepredicate", "subquery", "FETCH",
                "cast",
                "ternary", "function", "first", "LAST", "size", "union", "intersect", "minus", "caseinsensitive", "CI",
            ]
            let model = try ManagedObjectModel {
                Entity("Thing") {
                    for word in words { Attribute(word, .integer64) }
                    Relationships(["next": .toOne("Thing.previous"), "previous": .toOne("Thing.next")])
                }
            }
            let context = try environment.stack(model).context()
            let things = try [1, 2].map { number in
                let thing = try context.insert("Thing")
                for word in words { try thing.setValue(number, forKey: word) }
                return thing
            }
            try things[0].setValue(things[1], forKey: "next")
            try context.save()
            for word in words {
                for predicate in [
                    try QueryPredicate(format: "#\(word) == 1"), try QueryPredicate(format: "%K == 1", word), key(word) == 1,
                    try QueryPredicate(format: "next.#\(word) == 2"), try QueryPredicate(format: "next.%K == 2", word),
                    try QueryPredicate(format: (key(word) == 1).description),
                ] {
                    try expect(try context.all("Thing", predicate) == [things[0]], "\(predicate) finds something else")
                }
                try expectEqual(try context.all("Thing", sort: [QuerySort(word, ascending: false)]), things.reversed(), word)
            }
            for name in ["SELF", "self"] {
                for property in [true, false] {
                    do {
                        _ = try ManagedObjectModel {
                            Entity("Thing") {
                                if property { Attribute(name, .string) } else { Relationship(name, to: "Thing") }
                            }
                        }
                        throw ConformanceFailure("a property is named \(name)")
                    } catch let error as ModelError {
                        try expect(error.reason == .illegalName && error.property == name, "\(error)")
                    }
                }
            }
        }
        check("Names may be in any script", ["Größe", "数据", "Ελλάδα", "😀", "Имя"], ["größe", "数", "ελ", "😀", "имя", "e\u{301}x"])
        check("Names may differ in case only", ["Thing", "thing", "THING"], ["value", "Value", "VALUE", "vaLue", "ß", "ẞ"])
        check("Names may be decomposed", ["Cafe\u{301}", "Cafe"], ["n\u{303}", "n", "A\u{30A}"])
        check(
            "Names may look like a store's own",
            ["Z_METADATA", "Z_PRIMARYKEY", "Metadata", "Z_PK", "object", "database", "Entity"],
            ["Z_PK", "Z_ENT", "Z_OPT", "_rowid_", "oid", "entity", "reference", "version", "type", "id", "z64", "idrefs", "self_"]
        )
        check(
            "Names may be long",
            [String(repeating: "E", count: 200), String(repeating: "E", count: 199) + "F"],
            [String(repeating: "a", count: 200), String(repeating: "a", count: 199) + "b"]
        )
        ConformanceCase("An entity may have a property named as in another entity of another type", in: .attributes) { environment in
            let model = try ManagedObjectModel {
                Entity("Base") { Attribute("name", .string) }
                Entity("Left", parent: "Base") { Attribute("value", .integer64) }
                Entity("Right", parent: "Base") { Attribute("value", .string) }
                Entity("Far") { Attribute("value", .date) }
            }
            let stack = try environment.stack(model)
            let context = stack.context()
            try context.add("Left", "l").setValue(5, forKey: "value")
            try context.add("Right", "r").setValue("five", forKey: "value")
            try context.insert("Far").setValue(Date(timeIntervalSinceReferenceDate: 5), forKey: "value")
            try context.save()
            let again = try stack.reopened().context()
            try expectEqual(try again.all("Left", key("value") == 5).count, 1)
            try expectEqual(try again.one("Right", "r").text("value"), "five")
            try expectEqual(try again.all("Base").count, 2)
            try expectEqual(try again.all("Far", key("value") > .date(Date(timeIntervalSinceReferenceDate: 4))).count, 1)
        }
    }

    /// Every entity gets every attribute, and relationships of the same odd names.
    private static func check(_ name: String, _ entities: [String], _ attributes: [String]) -> ConformanceCase {
        ConformanceCase(name, in: .attributes) { environment in
            let model = try ManagedObjectModel(
                entities: entities.map { entity in
                    Entity(entity) {
                        for attribute in attributes { Attribute(attribute, .string) }
                        Relationship("to \(entity)", to: entity, inverse: "of \(entity)", .toMany)
                        Relationship("of \(entity)", to: entity, inverse: "to \(entity)", .toMany)
                        Relationship("up", to: entity, inverse: "down")
                        Relationship("down", to: entity, inverse: "up", .ordered)
                        Unique(attributes[0])
                        FetchIndex("by \(attributes[1])", on: FetchIndex.Element(attributes[1]))
                    }
                }
            )
            let stack = try environment.stack(model)
            let context = stack.context()
            for entity in entities {
                let (a, b) = (try context.insert(entity), try context.insert(entity))
                for attribute in attributes {
                    try a.setValue("\(entity)/\(attribute)", forKey: attribute)
                    try b.setValue("b \(attribute)", forKey: attribute)
                }
                try a.setValue([b], forKey: "to \(entity)")
                try a.setValue([b], forKey: "down")
            }
            try context.save()
            let again = try stack.reopened().context()
            for entity in entities {
                for attribute in attributes {
                    let found = try again.all(entity, key(attribute) == .string("\(entity)/\(attribute)"), sort: [QuerySort(attribute)])
                    try expectEqual(found.count, 1, "\(entity) where \(attribute)")
                    try expectEqual(try found[0].text(attribute), "\(entity)/\(attribute)")
                    try expectEqual(try found[0].many("to \(entity)").count, 1)
                    try expectEqual(try found[0].ordered("down").map { try $0.text(attribute) }, ["b \(attribute)"])
                }
                let groups = try again.fetchDictionaries(
                    ObjectFetchRequest<ManagedObject>(entityName: entity).grouped(
                        by: [ExpressionDescription(attributes[0])], computing: [.count()]))
                try expectEqual(groups.count, 2)
            }
        }
    }
}
