import StrataModel
import StrataModelFiles
import StrataQuery
import Testing

/// Conditions, derivations and composite attributes of compiled models, which archive predicates as objects.
@Suite struct CompiledConditionTests {
    // MARK: - Parts of archives

    private static func path(_ path: String, of operand: Archived = .object("NSSelfExpression", ["NSExpressionType": .int(1)])) -> Archived
    {
        .object(
            "NSKeyPathExpression",
            [
                "NSExpressionType": .int(3), "NSOperand": operand, "NSSelectorName": .text("valueForKeyPath:"),
                "NSArguments": .list([.object("NSKeyPathSpecifierExpression", ["NSExpressionType": .int(10), "NSKeyPath": .text(path)])]),
            ])
    }

    private static func constant(_ value: Archived) -> Archived {
        .object("NSConstantValueExpression", ["NSExpressionType": .int(0), "NSConstantValue": value])
    }

    private static func function(_ selector: String, _ arguments: [Archived]) -> Archived {
        .object(
            "NSFunctionExpression",
            [
                "NSExpressionType": .int(4), "NSSelectorName": .text(selector), "NSArguments": .list(arguments),
                "NSOperand": .object("NSConstantValueExpression", ["NSConstantValueClassName": .text("_NSPredicateUtilities")]),
            ])
    }

    private static func compare(
        _ left: Archived, _ type: Int, _ right: Archived, modifier: Int = 0, _ sign: [String: Archived] = [:]
    ) -> Archived {
        .object(
            "NSComparisonPredicate",
            [
                "NSLeftExpression": left, "NSRightExpression": right,
                "NSPredicateOperator": .object(
                    "NSComparisonPredicateOperator",
                    sign.merging(["NSOperatorType": .int(type), "NSModifier": .int(modifier)]) { $1 }),
            ])
    }

    private static func compound(_ type: Int, _ parts: Archived...) -> Archived {
        .object("NSCompoundPredicate", ["NSCompoundPredicateType": .int(type), "NSSubpredicates": .list(parts)])
    }

    private static func attribute(
        _ name: String, _ type: Int, _ className: String = "NSAttributeDescription", _ more: [String: Archived] = [:]
    )
        -> Archived
    {
        .object(
            className, more.merging(["NSPropertyName": .text(name), "NSAttributeType": .int(type), "NSIsOptional": .bool(true)]) { $1 })
    }

    private static func model(
        _ properties: [String: Archived], templates: [String: Archived] = [:], _ entity: [String: Archived] = [:]
    ) throws -> (ModelFile, ManagedObjectModel) {
        let person = Archived.object(
            "NSEntityDescription",
            entity.merging(["NSEntityName": .text("Person"), "NSProperties": .dictionary(properties)]) { $1 })
        let file = try ModelFile(
            compiled: Archived.object(
                "NSManagedObjectModel",
                ["NSEntities": .dictionary(["Person": person]), "NSFetchRequestTemplates": .dictionary(templates)]
            ).archive)
        return (file, try file.model())
    }

    private static func request(_ predicate: Archived, _ more: [String: Archived] = [:]) -> Archived {
        .object("NSFetchRequest", more.merging(["NSEntityName": .text("Person"), "NSPredicate": predicate]) { $1 })
    }

    private static let plain = ["name": attribute("name", 700), "age": attribute("age", 200)]

    // MARK: - Tests

    @Test("Every kind of predicate in an archive is the one that its text parses to") func predicates() throws {
        let variable = Archived.object("NSVariableExpression", ["NSExpressionType": .int(2), "NSVariable": .text("x")])
        let texts: [(String, Archived)] = [
            (
                "age > 17 AND name != nil",
                Self.compound(
                    1, Self.compare(Self.path("age"), 2, Self.constant(.int(17))),
                    Self.compare(Self.path("name"), 5, .object("NSConstantValueExpression", ["NSExpressionType": .int(0)])))
            ),
            (
                "NOT (age <= 3 OR age >= 9.5)",
                Self.compound(
                    0,
                    Self.compound(
                        2, Self.compare(Self.path("age"), 1, Self.constant(.int(3))),
                        Self.compare(Self.path("age"), 3, Self.constant(.double(9.5)))))
            ),
            ("name BEGINSWITH[cd] $x", Self.compare(Self.path("name"), 8, variable, ["NSFlags": .int(3)])),
            (
                "name ==[c] 'it''s \"so\"'".replacing("''", with: "\\'"),
                Self.compare(Self.path("name"), 4, Self.constant(.text("it's \"so\"")), ["NSOptions": .int(1), "NSNegate": .bool(false)])
            ),
            (
                "age < 2 OR name LIKE 'a*' OR name MATCHES 'b.*' OR name ENDSWITH 'c' OR name CONTAINS[n] 'd'",
                Self.compound(
                    2, Self.compare(Self.path("age"), 0, Self.constant(.int(2))),
                    Self.compare(Self.path("name"), 7, Self.constant(.text("a*"))),
                    Self.compare(Self.path("name"), 6, Self.constant(.text("b.*"))),
                    Self.compare(Self.path("name"), 9, Self.constant(.text("c"))),
                    Self.compare(Self.path("name"), 99, Self.constant(.text("d")), ["NSFlags": .int(4)]))
            ),
            (
                "age BETWEEN {1, 5}",
                Self.compare(
                    Self.path("age"), 100,
                    .object("NSAggregateExpression", ["NSCollection": .list([Self.constant(.int(1)), Self.constant(.int(5))])]))
            ),
            ("name IN {'a', 'b'}", Self.compare(Self.path("name"), 10, Self.constant(.list([.text("a"), .text("b")])))),
            ("ANY friends.age == 4", Self.compare(Self.path("friends.age"), 4, Self.constant(.int(4)), modifier: 2)),
            ("ALL friends.age == 4", Self.compare(Self.path("friends.age"), 4, Self.constant(.int(4)), modifier: 1)),
            (
                "age + 1 == length(name)",
                Self.compare(
                    Self.function("add:to:", [Self.path("age"), Self.constant(.int(1))]), 4, Self.function("length:", [Self.path("name")]))
            ),
            (
                "SUBQUERY(friends, $x, $x.age > 3).@count == 0",
                Self.compare(
                    Self.path(
                        "@count",
                        of: .object(
                            "NSSubqueryExpression",
                            [
                                "NSExpression": Self.path("friends"), "NSVariable": .text("x"),
                                "NSSubpredicate": Self.compare(Self.path("age", of: variable), 2, Self.constant(.int(3))),
                            ])), 4, Self.constant(.int(0)))
            ),
            (
                "TERNARY(age > 1, 2, 3) == 2",
                Self.compare(
                    .object(
                        "NSTernaryExpression",
                        [
                            "NSPredicate": Self.compare(Self.path("age"), 2, Self.constant(.int(1))),
                            "NSTrueExpression": Self.constant(.int(2)), "NSFalseExpression": Self.constant(.int(3)),
                        ]), 4, Self.constant(.int(2)))
            ),
            (
                "friends UNION friends == 1",
                Self.compare(
                    .object(
                        "NSSetExpression",
                        ["NSExpressionType": .int(5), "NSLeftExpression": Self.path("friends"), "NSRightExpression": Self.path("friends")]),
                    4, Self.constant(.int(1)))
            ),
            ("self == nil", Self.compare(.object("NSSelfExpression", [:]), 4, Self.constant(.object("NSNull", [:])))),
            ("age > CAST(5, 'NSDate')", Self.compare(Self.path("age"), 2, Self.constant(.object("NSDate", ["NS.time": .double(5)])))),
            ("TRUEPREDICATE", .object("NSTruePredicate", [:])),
        ]
        for (text, archived) in texts {
            let (file, model) = try Self.model(Self.plain, templates: ["t": Self.request(archived)])
            #expect(file.warnings.isEmpty, "\(text): \(file.warnings)")
            let predicate = try #require(model.fetchTemplatesByName["t"]?.predicate, "\(text)")
            #expect(try QueryPredicate(format: predicate) == QueryPredicate(format: text), "\(text)")
        }
    }

    @Test("A request's limit and order, a fetched property and a partial index have what the archive says") func owners() throws {
        let adults = Self.compare(Self.path("age"), 2, Self.constant(.int(17)))
        let order = Archived.list([.object("NSSortDescriptor", ["NSKey": .text("name"), "NSAscending": .bool(false)])])
        let index = Archived.object(
            "NSFetchIndexDescription",
            [
                "NSIndexName": .text("adults"), "NSPartialIndexPredicate": adults,
                "NSIndexElements": .list([
                    .object("NSFetchIndexElementDescription", ["NSPropertyName": .text("name"), "NSAscending": .bool(true)])
                ]),
            ])
        let (file, model) = try Self.model(
            Self.plain.merging([
                "adults": .object("NSFetchedPropertyDescription", ["NSFetchRequest": Self.request(adults, ["NSSortDescriptors": order])])
            ]) { $1 },
            templates: ["some": Self.request(adults, ["NSFetchLimit": .int(7), "NSSortDescriptors": order])],
            ["NSFetchIndexDescriptions": .list([index])])
        #expect(file.warnings.isEmpty)
        let template = try #require(model.fetchTemplatesByName["some"])
        #expect(template.predicate == "age > 17")
        #expect(template.limit == 7)
        #expect(template.sort == [SortElement("name", ascending: false)])
        let entity = try #require(model.entity(named: "Person"))
        #expect(entity.fetchedProperties.first?.predicate == "age > 17")
        #expect(entity.indexes.first?.condition == "age > 17")
    }

    @Test("A derived attribute has the expression that the archive keeps under a key of its own") func derivations() throws {
        let (file, model) = try Self.model(
            Self.plain.merging([
                "plainName": Self.attribute(
                    "plainName", 700, "NSDerivedAttributeDescription",
                    ["NSDerivationExpression": Self.function("canonical:", [Self.path("name")])]),
                "changed": Self.attribute("changed", 900, "NSDerivedAttributeDescription", ["NSAnyKey": Self.function("now", [])]),
            ]) { $1 })
        #expect(file.warnings.isEmpty)
        let entity = try #require(model.entity(named: "Person"))
        #expect(entity.attribute(named: "plainName")?.declaration.derivationExpression == "canonical:(name)")
        #expect(entity.attribute(named: "changed")?.declaration.derivationExpression == "now()")
    }

    @Test("A composite attribute has the attributes that the archive keeps in it, which may be composite") func composites() throws {
        let position = Self.attribute(
            "position", 2100, "NSCompositeAttributeDescription",
            ["NSElements": .list([Self.attribute("x", 500), Self.attribute("y", 500)])])
        let site = Self.attribute(
            "site", 2100, "NSCompositeAttributeDescription", ["NSElements": .list([Self.attribute("street", 700), position])])
        let (file, model) = try Self.model(Self.plain.merging(["site": site]) { $1 })
        #expect(file.warnings.isEmpty)
        let entity = try #require(model.entity(named: "Person"))
        #expect(entity.compositeAttributes.map(\.name) == ["site"])
        #expect(entity.attribute(named: "site.position.y")?.type == .double)
        #expect(entity.attribute(named: "site.street")?.type == .string)
    }

    @Test("What cannot be read is left out with a warning that says why") func unreadable() throws {
        let custom = Self.compare(Self.path("age"), 11, Self.constant(.int(1)))
        let block = Self.compare(.object("NSBlockExpression", [:]), 4, Self.constant(.int(1)))
        var deep = Self.compare(Self.path("age"), 4, Self.constant(.int(1)))
        for _ in 0..<500 { deep = Self.compound(0, deep) }
        let (file, model) = try Self.model(
            Self.plain.merging(["d": Self.attribute("d", 700, "NSDerivedAttributeDescription")]) { $1 },
            templates: ["custom": Self.request(custom), "block": Self.request(block), "deep": Self.request(deep)])
        #expect(model.fetchTemplatesByName.isEmpty)
        #expect(model.entity(named: "Person")?.attribute(named: "d")?.declaration.derivationExpression == nil)
        #expect(file.warnings.count == 4, "\(file.warnings)")
        #expect(file.warnings.allSatisfy { $0.kind == .unsupported }, "\(file.warnings)")
    }
}
