import StrataModelCode
import StrataModelFiles
import Testing

@Suite("Code of a model") struct CodeTests {
    @Test("A class has a key and a property for each attribute, scalar or optional as in Xcode") func attributes() throws {
        let text = try CodeSamples.text(
            """
            <entity name="Person" representedClassName="Person" codeGenerationType="class">
                <attribute name="age" optional="YES" attributeType="Integer 16" usesScalarValueType="YES"/>
                <attribute name="born" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
                <attribute name="class" attributeType="String"/>
                <attribute name="rank" optional="YES" attributeType="Integer 32"/>
                <attribute name="seen" optional="YES" attributeType="Date" usesScalarValueType="YES"/>
                <attribute name="tags" optional="YES" attributeType="Transformable" customClassName="[String]"/>
            </entity>
            """, file: "Person.swift")
        #expect(
            text == """
                // Generated from the model Shop. What is changed here is lost when it is generated again.

                public import FoundationEssentials
                public import Strata

                public class Person: ManagedObject {}

                extension Person {
                    public static let age = Key<Int16>("age")
                    public var age: Int16 {
                        get { self[required: Self.age, else: 0] }
                        set { self[Self.age] = newValue }
                    }

                    public static let born = Key<Date>("born")
                    public var born: Date? {
                        get { self[Self.born] }
                        set { self[Self.born] = newValue }
                    }

                    public static let `class` = Key<String>("class")
                    public var `class`: String? {
                        get { self[Self.`class`] }
                        set { self[Self.`class`] = newValue }
                    }

                    public static let rank = Key<Int32>("rank")
                    public var rank: Int32? {
                        get { self[Self.rank] }
                        set { self[Self.rank] = newValue }
                    }

                    public static let seen = Key<Date>("seen")
                    public var seen: TimeInterval {
                        get { self[Self.seen]?.timeIntervalSinceReferenceDate ?? 0 }
                        set { self[Self.seen] = Date(timeIntervalSinceReferenceDate: newValue) }
                    }

                    public static let tags = Key<[String]>("tags")
                    public var tags: [String]? {
                        get { self[transformable: Self.tags] }
                        set { self[transformable: Self.tags] = newValue }
                    }
                }

                extension Person: Identifiable {}

                """)
    }

    @Test("An extension has the functions of relationships, fetched properties and fetch requests") func relationships() throws {
        let text = try CodeSamples.text(
            """
            <entity name="Shelf" representedClassName="Shelf" codeGenerationType="category">
                <relationship name="books" optional="YES" toMany="YES" ordered="YES" destinationEntity="Book" inverseName="shelf" inverseEntity="Book"/>
                <relationship name="neighbours" optional="YES" toMany="YES" destinationEntity="Shelf" inverseName="neighbours" inverseEntity="Shelf"/>
                <fetchedProperty name="thick" optional="YES">
                    <fetchRequest name="f" entity="Book" predicateString="shelf == $FETCH_SOURCE"/>
                </fetchedProperty>
            </entity>
            <entity name="Book">
                <relationship name="shelf" optional="YES" maxCount="1" destinationEntity="Shelf" inverseName="books" inverseEntity="Shelf"/>
            </entity>
            <fetchRequest name="ByLabel" entity="Shelf" predicateString="ANY books.shelf == $SHELF"/>
            """, file: "Shelf+Properties.swift")
        #expect(
            text == """
                // Generated from the model Shop. What is changed here is lost when it is generated again.

                public import Strata

                extension Shelf {
                    public static let books = ToManyOrdered<ManagedObject>("books")
                    public var books: [ManagedObject] {
                        get { self[Self.books] }
                        set { self[Self.books] = newValue }
                    }
                    public func addToBooks(_ value: ManagedObject) { add(value, to: Self.books) }
                    public func removeFromBooks(_ value: ManagedObject) { remove(value, from: Self.books) }
                    public func addToBooks(_ values: [ManagedObject]) { for value in values { addToBooks(value) } }
                    public func removeFromBooks(_ values: [ManagedObject]) { for value in values { removeFromBooks(value) } }
                    public func insertIntoBooks(_ value: ManagedObject, at idx: Int) {
                        add(value, to: Self.books, at: idx)
                    }
                    public func removeFromBooks(at idx: Int) { self[Self.books].remove(at: idx) }
                    public func replaceBooks(at idx: Int, with value: ManagedObject) {
                        self[Self.books][idx] = value
                    }

                    public static let neighbours = ToMany<Shelf>("neighbours")
                    public var neighbours: Set<Shelf> {
                        get { self[Self.neighbours] }
                        set { self[Self.neighbours] = newValue }
                    }
                    public func addToNeighbours(_ value: Shelf) { add(value, to: Self.neighbours) }
                    public func removeFromNeighbours(_ value: Shelf) { remove(value, from: Self.neighbours) }
                    public func addToNeighbours(_ values: Set<Shelf>) { for value in values { addToNeighbours(value) } }
                    public func removeFromNeighbours(_ values: Set<Shelf>) { for value in values { removeFromNeighbours(value) } }

                    public static let thick = Fetched<ManagedObject>("thick")
                    public var thick: [ManagedObject] { self[Self.thick] }

                    /// The model's fetch request ByLabel, with values for its variables.
                    public static func byLabel(SHELF: any QueryArgument, in model: ManagedObjectModel) throws -> ObjectFetchRequest<Shelf> {
                        try model.fetchRequest(fromTemplate: "ByLabel", substituting: ["SHELF": SHELF], for: Shelf.self)
                    }
                }

                extension Shelf: Identifiable {}

                """)
    }

    @Test("Classes inherit the class of the nearest ancestor that names one; a module before a name is no part of it") func inheritance()
        throws
    {
        let code = try CodeSamples.code(
            """
            <entity name="A" representedClassName=".Root" codeGenerationType="class"/>
            <entity name="B" parentEntity="A"/>
            <entity name="C" parentEntity="B" representedClassName="Shop.Leaf" codeGenerationType="class"/>
            """)
        #expect(code.files.map(\.name) == ["Root.swift", "Leaf.swift", "ShopModel.swift"])
        #expect(code.text.contains("public class Root: ManagedObject {}"))
        #expect(code.text.contains("public class Leaf: Root {}"))
        #expect(code.text.contains("case \"Shop.Leaf\": return Leaf.self"))
        #expect(!code.text.contains("extension Leaf: Identifiable"))
    }

    @Test("Manual entities have no code, unless it is asked for") func manualEntities() throws {
        let entity = "<entity name=\"A\" representedClassName=\"A\"/>"
        #expect(try CodeSamples.code(entity).files.map(\.name) == ["ShopModel.swift"])
        var options = ModelCode.Options()
        options.includesManualEntities = true
        options.isPublic = false
        let code = try CodeSamples.code(entity, options: options)
        #expect(code.files.map(\.name) == ["A.swift", "ShopModel.swift"])
        #expect(code.text.contains("\nclass A: ManagedObject {}"))
        #expect(!code.text.contains("public"))
    }

    @Test("A class with the name of a type that the code needs has that type named with its module") func namesOfTypes() throws {
        let text = try CodeSamples.code(
            """
            <entity name="Key" representedClassName="Key" codeGenerationType="class">
                <attribute name="text" optional="YES" attributeType="String"/>
                <relationship name="others" optional="YES" toMany="YES" destinationEntity="String" inverseName="key" inverseEntity="String"/>
            </entity>
            <entity name="String" representedClassName="String" codeGenerationType="class">
                <relationship name="key" optional="YES" maxCount="1" destinationEntity="Key" inverseName="others" inverseEntity="Key"/>
            </entity>
            """
        ).text
        #expect(text.contains("static let text = Strata.Key<Swift.String>(\"text\")"))
        #expect(text.contains("static let others = ToMany<String>(\"others\")"))
        #expect(text.contains("var key: Key?"))
    }

    @Test("The source of the model is kept whatever it holds, but for its diagram") func theSource() throws {
        let text = try CodeSamples.code(
            """
            <entity name="A">
                <attribute name="a" optional="YES" attributeType="String" defaultValueString="&quot;&quot;&quot;# \\#(x) &#10;"/>
            </entity>
            <elements><element name="A" positionX="0" positionY="0" width="1" height="1"/></elements>
            """
        ).text
        #expect(text.contains("private static let source = ##\"\"\"\n"))
        #expect(text.contains("&quot;&quot;&quot;# \\#(x) &#10;"))
        #expect(!text.contains("positionX"))
    }

    @Test("What the model is without is a warning of the compiler that names it") func composites() throws {
        let code = try CodeSamples.code(
            """
            <entity name="A" representedClassName="A" codeGenerationType="class">
                <attribute name="size" optional="YES" attributeType="Composite" elementName="Size"/>
            </entity>
            """)
        #expect(code.text.contains("#warning(\"entity A/attribute size: the model is without it, and so is the class\")"))
        let warning = try #require(code.warnings.first { $0.element == "entity A/attribute size" })
        #expect(warning.line == 4)
    }

    @Test("A composite attribute is a dictionary") func compositeAttribute() throws {
        let text = try CodeSamples.code(
            """
            <entity name="A" representedClassName="A" codeGenerationType="class">
                <attribute name="size" optional="YES" attributeType="Composite" elementName="Size"/>
            </entity>
            <compositeAttribute name="Size">
                <attribute name="width" optional="YES" attributeType="Double"/>
            </compositeAttribute>
            """
        ).text
        #expect(text.contains("static let size = Key<Dictionary<String, Any>>(\"size\")"))
        #expect(text.contains("var size: Dictionary<String, Any>?"))
        #expect(text.contains("self[Self.size]"))
        #expect(!text.contains("#warning"))
    }

    @Test("An entity without a class has no code, and a warning says so") func withoutClass() throws {
        let code = try CodeSamples.code("<entity name=\"A\" codeGenerationType=\"class\"/>")
        #expect(code.files.count == 1)
        #expect(code.warnings.map(\.description) == ["3: entity A: names no class, so that none is generated"])
    }
}
