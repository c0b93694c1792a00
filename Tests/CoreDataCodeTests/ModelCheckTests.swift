import StrataCoreDataCode
import StrataModelFiles
import Testing

@Suite("Classes and their model") struct ModelCheckTests {
    static let entities = """
        <entity name="Person" representedClassName="Person">
            <attribute name="name" optional="YES" attributeType="String"/>
            <attribute name="age" optional="YES" attributeType="Integer 16" usesScalarValueType="YES"/>
            <attribute name="born" optional="YES" attributeType="Date"/>
            <attribute name="tags" optional="YES" attributeType="Transformable"/>
            <relationship name="pets" optional="YES" toMany="YES" destinationEntity="Pet" inverseName="owner" inverseEntity="Pet"/>
        </entity>
        <entity name="Pet" representedClassName="app.Pet">
            <relationship name="owner" optional="YES" maxCount="1" destinationEntity="Person" inverseName="pets" inverseEntity="Person"/>
        </entity>
        <entity name="Student" representedClassName=".Student" parentEntity="Person"/>
        """

    private func messages(_ members: String, class name: String = "Person") throws -> [String] {
        let others = ["Person", "Pet", "Student"].filter { $0 != name }.map { "class \($0): NSManagedObject {}" }.joined(separator: "\n")
        let text = "class \(name): NSManagedObject {\n\(members)\n}\nenum Kind: Int { case a }\n\(others)"
        return try Samples.code(text, models: [Samples.model(ModelCheckTests.entities)]).messages
    }

    @Test(
        "A property of a fitting type is none to warn about",
        arguments: [
            "var name: String?", "var name: Kind", "var age: Int16", "var age: Int", "var age: NSNumber?", "var born: Date!",
            "var born: TimeInterval", "var tags: [String]?", "var pets: NSSet?", "var pets: Set<Pet>", "var primitiveName: String?",
            "var tags: Any?", "var name: NSObject?", "var pets: NSMutableSet",
        ])
    func fitting(declaration: String) throws {
        #expect(try messages("@NSManaged \(declaration)") == [])
        #expect(try messages("@NSManaged \(declaration)", class: "Student") == [])
    }

    @Test(
        "A property that the model does not have so is warned about at its place",
        arguments: [
            ("var nickname: String?", "the model has no property 'nickname' in the entity Person of 'Person'"),
            ("var name: Int", "'Int' does not fit 'name', which is an attribute of the type String in the model"),
            ("var age: String", "'String' does not fit 'age', which is an attribute of the type Integer 16 in the model"),
            ("var pets: Pet?", "'Pet?' does not fit 'pets', which is a relationship to many Pet in the model"),
            ("var pets: Set<Person>", "'Set<Person>' does not fit 'pets', which is a relationship to many Pet in the model"),
            ("var pets: NSOrderedSet?", "'NSOrderedSet?' does not fit 'pets', which is a relationship to many Pet in the model"),
        ])
    func unfitting(declaration: String, message: String) throws {
        #expect(try messages("@NSManaged \(declaration)") == ["app.swift:2:16: warning: " + message])
    }

    @Test("A relationship to one may be declared with its class or one that it inherits") func relationshipsToOne() throws {
        #expect(try messages("@NSManaged var owner: Person?", class: "Pet") == [])
        #expect(try messages("@NSManaged var owner: NSManagedObject?", class: "Pet") == [])
        #expect(
            try messages("@NSManaged var owner: Pet?", class: "Pet") == [
                "app.swift:2:16: warning: 'Pet?' does not fit 'owner', which is a relationship to one Person in the model"
            ])
    }

    @Test("A default of another type than its attribute's is reported with what Xcode compiles it to") func oddDefault() throws {
        let model = try Samples.model(
            """
            <entity name="Article"><attribute name="count" optional="YES" attributeType="Integer 64" defaultValueString="NO"/>
            <attribute name="note" optional="YES" attributeType="Binary" defaultValueString="x"/></entity>
            """)
        let warnings = try Samples.code("import CoreData", models: [model]).modelWarnings.map(\.warning)
        #expect(warnings.map(\.element) == ["entity Article/attribute count", "entity Article/attribute note"])
        #expect(warnings.first?.message.contains("read as 0") == true)
        #expect(warnings.first?.line == 3)
    }
}
