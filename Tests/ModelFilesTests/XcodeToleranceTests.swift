import FoundationEssentials
import StrataModel
import StrataModelFiles
import Testing

/// What Xcode compiles although it does not fit: it is read with a warning that names the element.
@Suite("Oddities that Xcode compiles") struct XcodeToleranceTests {
    @Test(
        "A default that does not fit its type is read as Xcode compiles it, or left out",
        arguments: [
            ("Integer 16", "NO", .int(0)), ("Integer 64", "YES", .int(0)), ("Integer 32", " 12 apples", .int(12)),
            ("Integer 32", "-3.5", .int(-3)), ("Integer 16", "70000", nil), ("Integer 64", "99999999999999999999", nil),
            ("Boolean", "0.0", .bool(false)), ("Boolean", "00.5", .bool(false)), ("Boolean", "2", .bool(true)),
            ("Boolean", "Y", .bool(true)), ("Boolean", "off", .bool(false)), ("Double", "1.5 m", .double(1.5)),
            ("Double", "none", .double(0)),
            ("Float", "-2e", .double(-2)), ("Decimal", "9.99 EUR", .decimal(Decimal(string: "9.99") ?? 0)), ("Decimal", "ten", nil),
            ("UUID", "nobody", nil), ("Date", "2020-01-01", nil), ("Transformable", "x", nil),
        ] as [(String, String, Value?)]) func defaults(_ type: String, _ text: String, _ value: Value?) throws
    {
        let file = try SampleSource.file(
            SampleSource.model(
                "<entity name=\"A\"><attribute name=\"x\" attributeType=\"\(type)\" defaultValueString=\"\(text)\"/></entity>"))
        #expect(try file.version().declarations().entities[0].attributes[0].defaultValue == value)
        #expect(file.warnings.map(\.element) == ["entity A/attribute x"])
        #expect(file.warnings.map(\.kind) == [value == nil ? .leftOut : .questionable])
        #expect(file.warnings.map(\.line) == [3])
        #expect(file.warnings[0].message.contains("\"\(text)\""))
        _ = try file.model()
    }

    @Test("A default that is no date is left out") func dates() throws {
        let file = try SampleSource.file(
            SampleSource.model("<entity name=\"A\"><attribute name=\"x\" attributeType=\"Date\" defaultDateTimeInterval=\"nan\"/></entity>")
        )
        #expect(try file.model().entity(named: "A")?.attribute(named: "x")?.defaultValue == .null)
        #expect(file.warnings.map(\.kind) == [.leftOut])
    }

    @Test("A maximum count of -1 is no limit, and is kept") func counts() throws {
        let source = try SampleSource.file(
            SampleSource.model(
                """
                <entity name="A"><relationship name="many" toMany="YES" maxCount="-1" minCount="2" destinationEntity="A" inverseName="one"/>
                <relationship name="one" maxCount="1" destinationEntity="A" inverseName="many"/></entity>
                """))
        func relationship(_ name: String, _ inverse: String, _ most: Int) -> Archived {
            .object(
                "NSRelationshipDescription",
                [
                    "NSPropertyName": .text(name), "_NSDestinationEntityName": .text("A"), "_NSInverseRelationshipName": .text(inverse),
                    "NSMaxCount": .int(most), "NSMinCount": .int(most == 1 ? 0 : 2), "NSDeleteRule": .int(1),
                ])
        }
        let properties = ["many": relationship("many", "one", -1), "one": relationship("one", "many", 1)]
        let compiled = try ModelFile(compiled: Self.archive(["NSProperties": .dictionary(properties)]))
        for file in [source, compiled] {
            let many = try #require(file.model().entity(named: "A")?.relationship(named: "many"))
            #expect(many.isToMany)
            #expect(many.declaration.maxCount == -1)
            #expect(many.declaration.minCount == 2)
            #expect(file.warnings.map(\.element) == ["entity A/relationship many"])
            #expect(file.warnings.map(\.kind) == [.questionable])
        }
    }

    static func archive(_ entity: [String: Archived]) -> [UInt8] {
        Archived.object(
            "NSManagedObjectModel",
            ["NSEntities": .dictionary(["A": .object("NSEntityDescription", entity.merging(["NSEntityName": .text("A")]) { $1 })])]
        ).archive
    }

    @Test("Index elements entity and self are expressions, except where a property has the name") func indexes() throws {
        let source = try SampleSource.file(
            SampleSource.model(
                """
                <entity name="A"><attribute name="x" attributeType="String"/>
                <fetchIndex name="i"><fetchIndexElement property="x"/><fetchIndexElement property="entity" order="descending"/>
                <fetchIndexElement expression="self" expressionType="Object ID"/></fetchIndex></entity>
                """))
        let expression = Archived.object(
            "NSExpressionDescription", ["NSPropertyName": .text("self"), "NSExpression": .object("NSSelfExpression", [:])])
        let elements: [[String: Archived]] = [
            ["NSPropertyName": .text("x"), "NSAscending": .bool(true)], ["NSPropertyName": .text("entity")],
            ["NSPropertyName": .text("self"), "NSProperty": expression, "NSAscending": .bool(true)],
        ]
        let attribute = Archived.object("NSAttributeDescription", ["NSPropertyName": .text("x"), "NSAttributeType": .int(700)])
        let index = Archived.object(
            "NSFetchIndexDescription",
            ["NSIndexName": .text("i"), "NSIndexElements": .list(elements.map { .object("NSFetchIndexElementDescription", $0) })])
        let compiled = try ModelFile(
            compiled: Self.archive([
                "NSProperties": .dictionary(["x": attribute]), "NSFetchIndexDescriptions": .list([index]),
            ]))
        for file in [source, compiled] {
            let found = try #require(file.model().entity(named: "A")?.expressionIndexes.first)
            #expect(found.elements == ["x", .init(expression: "entity", ascending: false), .init(expression: "SELF")])
            #expect(Set(file.warnings.map(\.element)) == ["entity A/fetchIndex i"])
            #expect(file.warnings.count == 2)
            #expect(file.warnings.allSatisfy { $0.kind == .questionable })
        }
        let named = try SampleSource.file(
            SampleSource.model(
                """
                <entity name="A"><attribute name="entity" attributeType="String"/>
                <fetchIndex name="i"><fetchIndexElement property="entity"/></fetchIndex></entity>
                """))
        #expect(try named.model().entity(named: "A")?.indexes.map(\.name) == ["i"])
        #expect(named.warnings.isEmpty)
    }
}
