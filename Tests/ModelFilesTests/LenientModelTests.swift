import StrataModel
import StrataModelFiles
import Testing

/// What Xcode compiles with a warning, and what the model cannot hold.
@Suite struct LenientModelTests {
    private func read(_ entities: String) throws -> (ManagedObjectModel, [ModelFileWarning]) {
        let file = try SampleSource.file(SampleSource.model(entities))
        return (try file.model(), file.warnings)
    }

    @Test("Of an inverse that does not lead back, the pair that agrees stays a pair") func ofAnInverseThatDoes() throws {
        let (model, warnings) = try read(
            """
            <entity name="A"><relationship name="first" toMany="YES" destinationEntity="B" inverseName="a"/>
            <relationship name="second" toMany="YES" destinationEntity="B" inverseName="a"/></entity>
            <entity name="B"><relationship name="a" maxCount="1" destinationEntity="A" inverseName="second"/></entity>
            """)
        let a = try #require(model.entity(named: "A"))
        #expect(a.relationship(named: "first")?.declaration.inverse == nil)
        #expect(a.relationship(named: "second")?.declaration.inverse == "a")
        #expect(warnings.map(\.element) == ["entity A/relationship first", "entity A/relationship first"])
        #expect(warnings.map(\.kind) == [.leftOut, .questionable])
        // It is part of the version hash, as in Core Data.
        #expect(a.relationship(named: "first")?.declaration.unmatchedInverse == "a")
        let copy = try ManagedObjectModel(encoded: try model.encoded())
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        let plain = try read(
            """
            <entity name="A"><relationship name="first" toMany="YES" destinationEntity="B"/>
            <relationship name="second" toMany="YES" destinationEntity="B" inverseName="a"/></entity>
            <entity name="B"><relationship name="a" maxCount="1" destinationEntity="A" inverseName="second"/></entity>
            """)
        #expect(plain.0.entity(named: "A")?.versionHash != a.versionHash)
    }

    @Test("An inverse of another destination is left out on both sides") func anInverseOfAnotherDestination() throws {
        let (model, warnings) = try read(
            """
            <entity name="A"><relationship name="b" maxCount="1" destinationEntity="B" inverseName="a"/></entity>
            <entity name="B"><relationship name="a" maxCount="1" destinationEntity="C" inverseName="b"/></entity>
            <entity name="C"><relationship name="b" maxCount="1" destinationEntity="B" inverseName="a"/></entity>
            """)
        #expect(model.entity(named: "A")?.relationship(named: "b")?.inverse == nil)
        #expect(model.entity(named: "C")?.relationship(named: "b")?.inverse != nil)
        #expect(warnings.map(\.element) == ["entity A/relationship b"])
    }

    @Test("The second of two indexes of one name, and one over a to-many relationship, are left out") func theSecondOfTwoIndexes() throws {
        let (model, warnings) = try read(
            """
            <entity name="A"><attribute name="x" attributeType="String"/><attribute name="y" attributeType="String" transient="YES"/>
            <relationship name="many" toMany="YES" destinationEntity="A" inverseName="one"/>
            <relationship name="one" maxCount="1" destinationEntity="A" inverseName="many"/>
            <fetchIndex name="i"><fetchIndexElement property="x"/></fetchIndex>
            <fetchIndex name="i"><fetchIndexElement property="one"/></fetchIndex>
            <fetchIndex name="j"><fetchIndexElement property="many"/></fetchIndex>
            <fetchIndex name="k"><fetchIndexElement property="y"/></fetchIndex></entity>
            """)
        #expect(model.entity(named: "A")?.indexes.map(\.name) == ["i"])
        #expect(warnings.map(\.element) == ["entity A/fetchIndex i", "entity A/fetchIndex j", "entity A/fetchIndex k"])
    }

    @Test("A constraint over a to-one relationship is not enforced, and part of the version hash") func aConstraintOverATo() throws {
        let (model, warnings) = try read(
            """
            <entity name="A"><attribute name="x" attributeType="String"/><relationship name="one" maxCount="1" destinationEntity="A"/>
            <uniquenessConstraints><uniquenessConstraint><constraint value="x"/><constraint value="one"/></uniquenessConstraint>
            <uniquenessConstraint><constraint value="x"/></uniquenessConstraint></uniquenessConstraints></entity>
            """)
        #expect(model.entity(named: "A")?.uniquenessConstraints.map(\.names) == [["x"]])
        #expect(warnings.map(\.kind) == [.leftOut])
        #expect(warnings[0].message == "the uniqueness constraint (x, one) is over the relationship one and is not enforced")
        let entity = Entity("A") {
            Attribute("x", .string).required
            Relationship("one", to: "A").required
            Unique("x")
        }
        let plain = try ManagedObjectModel(entities: [entity])
        let declared = try ManagedObjectModel(entities: [entity.with { $0.unenforcedConstraints = [Unique("x", "one")] }])
        #expect(model.entityVersionHashesByName == declared.entityVersionHashesByName)
        #expect(model.entityVersionHashesByName != plain.entityVersionHashesByName)
        #expect(try ManagedObjectModel(encoded: try model.encoded()).entityVersionHashesByName == model.entityVersionHashesByName)
    }

    @Test("Composite attributes and indexes of other kinds are warnings, with what is over them")
    func compositeAttributesAndIndexes() throws {
        let (model, warnings) = try read(
            """
            <entity name="A"><attribute name="c" attributeType="Composite"/><attribute name="x" optional="YES" attributeType="Double"/>
            <attribute name="d" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(x)"/>
            <attribute name="s" optional="YES" attributeType="String" spotlightIndexingEnabled="YES"/>
            <fetchIndex name="r"><fetchIndexElement property="x" type="RTree"/></fetchIndex>
            <fetchIndex name="t"><fetchIndexElement property="s" type="RTree"/></fetchIndex>
            <fetchIndex name="e"><fetchIndexElement expression="length:(d)" expressionType="String" type="Binary"/></fetchIndex>
            <fetchIndex name="p" partialIndexPredicate="x &gt; 1"><fetchIndexElement property="x"/></fetchIndex>
            <fetchIndex name="c"><fetchIndexElement property="c.part"/></fetchIndex></entity>
            """)
        #expect(model.entity(named: "A")?.attributes.map(\.name) == ["d", "s", "x"])
        #expect(model.entity(named: "A")?.indexes.map(\.name) == ["r", "p"])
        #expect(model.entity(named: "A")?.indexes.map(\.isLocation) == [true, false])
        #expect(model.entity(named: "A")?.indexes.map(\.condition) == [nil, "x > 1"])
        #expect(model.entity(named: "A")?.expressionIndexes == [FetchIndex("e", on: .init(expression: "length:(d)"))])
        #expect(
            warnings.map(\.element) == [
                "entity A/attribute c", "entity A/attribute s", "entity A/fetchIndex t", "entity A/fetchIndex c",
            ])
        #expect(warnings.dropLast(2).allSatisfy { $0.kind == .unsupported })
    }

    @Test("Derivations are read; those of transient attributes, and empty ones, are left out")
    func derivations() throws {
        let (model, warnings) = try read(
            """
            <entity name="A"><attribute name="x" optional="YES" attributeType="String"/>
            <attribute name="d" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(x)"/>
            <attribute name="e" optional="YES" attributeType="String" derived="YES" derivationExpression=""/>
            <attribute name="n" optional="YES" attributeType="String" derived="NO" derivationExpression="x"/>
            <attribute name="t" optional="YES" transient="YES" attributeType="String" derived="YES" derivationExpression="x"/></entity>
            """)
        let attributes = try #require(model.entity(named: "A")?.attributes)
        #expect(attributes.filter(\.isDerived).map(\.declaration.derivationExpression) == ["canonical:(x)"])
        #expect(warnings.map(\.element) == ["entity A/attribute e", "entity A/attribute t"])
        #expect(warnings.allSatisfy { $0.kind == .leftOut })
    }

    @Test("A pattern that cannot be understood is left out") func aPatternThatCannotBe() throws {
        let (model, warnings) = try read(
            #"<entity name="A"><attribute name="x" attributeType="String" regularExpressionString="["/></entity>"#)
        #expect(model.entity(named: "A")?.attribute(named: "x")?.declaration.validation == [])
        #expect(warnings.map(\.kind) == [.leftOut])
    }
}
