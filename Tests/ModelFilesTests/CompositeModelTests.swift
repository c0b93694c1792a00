import StrataModel
import StrataModelFiles
import Testing

/// Composite attributes in Xcode's model files.
@Suite struct CompositeModelTests {
    private static let source = """
        <entity name="Theme" syncable="YES">
            <attribute name="colors" attributeType="Composite" elementName="Scheme" elementID="palette"/>
            <attribute name="site" optional="YES" attributeType="Composite" elementName="Site"/>
            <fetchIndex name="byColor"><fetchIndexElement property="colors.primary" type="Binary" order="ascending"/></fetchIndex>
            <fetchIndex name="whole"><fetchIndexElement property="colors" type="Binary" order="ascending"/></fetchIndex>
            <fetchIndex name="near">
                <fetchIndexElement property="site.position.latitude" type="RTree" order="ascending"/>
                <fetchIndexElement property="site.position.longitude" type="RTree" order="ascending"/>
            </fetchIndex>
            <uniquenessConstraints>
                <uniquenessConstraint><constraint value="site.city"/></uniquenessConstraint>
                <uniquenessConstraint><constraint value="site"/></uniquenessConstraint>
            </uniquenessConstraints>
        </entity>
        <compositeAttribute name="Scheme">
            <attribute name="primary" attributeType="String" defaultValueString="red" maxValueString="9"/>
            <attribute name="secondary" optional="YES" attributeType="String"/>
        </compositeAttribute>
        <compositeAttribute name="Site">
            <attribute name="city" optional="YES" attributeType="String"/>
            <attribute name="position" optional="YES" attributeType="Composite" elementName="Position"/>
        </compositeAttribute>
        <compositeAttribute name="Position">
            <attribute name="latitude" attributeType="Double" defaultValueString="0.0"/>
            <attribute name="longitude" attributeType="Double"/>
        </compositeAttribute>
        """

    @Test("A composite attribute has the elements of the definition that it names, and so do those within it") func reading() throws {
        let file = try SampleSource.file(SampleSource.model(Self.source))
        let theme = try #require(try file.model().entity(named: "Theme"))
        #expect(theme.compositeAttributes.map(\.name) == ["colors", "site"])
        #expect(
            theme.attributes.map(\.name) == [
                "colors.primary", "colors.secondary", "site.city", "site.position.latitude", "site.position.longitude",
            ])
        let primary = try #require(theme.attribute(named: "colors.primary"))
        #expect(primary.defaultValue == "red")
        #expect(!primary.isOptional)
        #expect(primary.declaration.validation == [.length(min: nil, max: 9)])
        #expect(primary.declaration.renamingIdentifier == "palette.primary")
        #expect(theme.indexes.map(\.name) == ["byColor", "near"])
        #expect(theme.uniquenessConstraints.map(\.names) == [["site.city"]])
        #expect(file.warnings.map(\.kind) == [.leftOut, .leftOut])
    }

    @Test("A document is written back with its composite attributes as they were") func writing() throws {
        let text = SampleSource.model(Self.source)
        let document = try ModelDocument(parsing: text.utf8)
        #expect(try ModelDocument(parsing: document.xml.utf8) == document)
        #expect(document.root.children(named: "compositeAttribute").count == 3)
    }

    @Test("Elements as Xcode names them are read and written back") func xcode() throws {
        let text = SampleSource.model(
            Self.source.replacing("elementName=", with: "composite=").replacing("compositeAttribute", with: "composite"))
        let file = try SampleSource.file(text)
        #expect(try file.model().entity(named: "Theme")?.compositeAttributes.map(\.name) == ["colors", "site"])
        #expect(file.warnings.map(\.kind) == [.leftOut, .leftOut])
        let document = try ModelDocument(parsing: text.utf8)
        #expect(document.root.children(named: "composite").count == 3)
        #expect(try ModelDocument(parsing: document.xml.utf8) == document)
        let twice = text.replacing("name=\"Site\"", with: "name=\"Scheme\"")
        let error = #expect(throws: ModelFileError.self) { try SampleSource.file(twice).model() }
        #expect(error?.reason == .duplicateName)
        #expect(error?.element == "composite Scheme")
    }

    @Test("The definition may be named by an attribute of another name") func otherReference() throws {
        let text = Self.source.replacing("elementName=", with: "compositeName=")
        let theme = try SampleSource.file(SampleSource.model(text)).model().entity(named: "Theme")
        #expect(theme?.compositeAttributes.count == 2)
    }

    @Test("A definition that contains itself is refused") func cycle() throws {
        let error = try #require(throws: ModelFileError.self) {
            try SampleSource.file(
                SampleSource.model(
                    """
                    <entity name="A"><attribute name="a" attributeType="Composite" elementName="X"/></entity>
                    <compositeAttribute name="X"><attribute name="y" attributeType="Composite" elementName="Y"/></compositeAttribute>
                    <compositeAttribute name="Y"><attribute name="x" attributeType="Composite" elementName="X"/></compositeAttribute>
                    """)
            ).model()
        }
        #expect(error.reason == .illegalElement)
        #expect(error.element == "entity A/attribute a.y.x")
    }

    @Test("Definitions that double at each level are refused in no time") func doubling() throws {
        let levels = (0..<40).map { level in
            let inner = "attributeType=\"Composite\" elementName=\"L\(level + 1)\""
            return
                "<compositeAttribute name=\"L\(level)\"><attribute name=\"a\" \(inner)/><attribute name=\"b\" \(inner)/></compositeAttribute>"
        }
        let text =
            "<entity name=\"A\"><attribute name=\"a\" attributeType=\"Composite\" elementName=\"L0\"/></entity>" + levels.joined()
            + "<compositeAttribute name=\"L40\"><attribute name=\"x\" attributeType=\"String\"/></compositeAttribute>"
        #expect(throws: ModelFileError.self) { try SampleSource.file(SampleSource.model(text)).model() }
    }

    @Test("An element beside the store is an error that names it") func external() throws {
        let error = try #require(throws: ModelFileError.self) {
            try SampleSource.file(
                SampleSource.model(
                    """
                    <entity name="A"><attribute name="a" optional="YES" attributeType="Composite" elementName="X"/></entity>
                    <compositeAttribute name="X">
                        <attribute name="d" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
                    </compositeAttribute>
                    """)
            ).model()
        }
        #expect(error.reason == .illegalElement)
        #expect(error.element == "entity A/attribute a.d")
        #expect(error.line != nil)
    }
}
