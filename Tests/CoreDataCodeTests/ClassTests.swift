import StrataCoreDataCode
import StrataModelFiles
import Testing

@Suite("Classes of a model in Core Data's manner") struct ClassTests {
    private func lines(_ elements: String) throws -> [Substring] {
        let lines = try Samples.code("", models: [Samples.model(elements)]).text.split(separator: "\n")
        // The accessors come first.
        let classes = lines.drop { !$0.contains("class func fetchRequest") && !$0.hasPrefix("public class") }
        return lines[..<classes.startIndex].suffix(classes.first?.hasPrefix("public") == true ? 0 : 1) + classes
    }

    @Test("An entity has the class, the fetch request and the properties that Xcode writes, with accessors") func definition() throws {
        let text = try lines(
            """
            <entity name="Human" representedClassName="Person" codeGenerationType="class">
                <attribute name="name" attributeType="String"/>
                <relationship name="pets" optional="YES" toMany="YES" destinationEntity="Human" inverseName="pets" inverseEntity="Human"/>
            </entity>
            """
        ).joined(separator: "\n")
        #expect(
            text == """
                public class Person: NSManagedObject {
                }
                extension Person {
                    @nonobjc public class func fetchRequest() -> NSFetchRequest<Person> {
                        return NSFetchRequest<Person>(entityName: "Human")
                    }
                    @NSManaged public var name: String?
                    @NSManaged public var pets: NSSet?
                }
                // MARK: Generated accessors for pets
                extension Person {
                    public func addToPets(_ value: Person) { _addManagedMember_NSManagedObject(value, 0, self) }
                    public func removeFromPets(_ value: Person) { _removeManagedMember_NSManagedObject(value, 0, self) }
                    public func addToPets(_ values: NSSet) { _addManagedMembers_NSSet(values, 0, self) }
                    public func removeFromPets(_ values: NSSet) { _removeManagedMembers_NSSet(values, 0, self) }
                }
                extension Person: Identifiable {
                }
                #endif
                """)
    }

    @Test(
        "A property has the type that Xcode gives it",
        arguments: [
            ("Integer 16\" usesScalarValueType=\"YES", "Int16"), ("Integer 32", "NSNumber?"),
            ("Integer 64\" usesScalarValueType=\"YES", "Int64"),
            ("Double\" usesScalarValueType=\"YES", "Double"), ("Float\" usesScalarValueType=\"YES", "Float"),
            ("Boolean\" usesScalarValueType=\"YES", "Bool"), ("Boolean\" usesScalarValueType=\"NO", "NSNumber?"),
            ("Date\" usesScalarValueType=\"NO", "Date?"), ("Date\" usesScalarValueType=\"YES", "TimeInterval"),
            ("Decimal", "NSDecimalNumber?"),
            ("Binary", "Data?"), ("UUID", "UUID?"), ("URI", "URL?"), ("Transformable", "NSObject?"),
            ("Transformable\" customClassName=\"[Shop.Color]", "[Shop.Color]?"),
        ])
    func types(type: String, property: String) throws {
        #expect(
            try lines(ClassTests.entity("<attribute name=\"a\" attributeType=\"\(type)\"/>")).contains {
                $0 == "    public var a: \(property) {" || $0 == "    @NSManaged public var a: \(property)"
            })
    }

    @Test("An ordered relationship has ten functions") func ordered() throws {
        let functions = try lines(
            """
            <entity name="A" representedClassName="A" codeGenerationType="category">
                <relationship name="b" optional="YES" toMany="YES" ordered="YES" destinationEntity="A" inverseName="b" inverseEntity="A"/>
            </entity>
            """
        ).filter { $0.hasPrefix("    public func") }.map { $0.dropFirst(16).prefix { $0 != "{" } }
        #expect(
            functions == [
                "insertIntoB(_ value: A, at idx: Int) ", "removeFromB(at idx: Int) ", "insertIntoB(_ values: [A], at indexes: NSIndexSet) ",
                "removeFromB(at indexes: NSIndexSet) ", "replaceB(at idx: Int, with value: A) ",
                "replaceB(at indexes: NSIndexSet, with values: [A]) ", "addToB(_ value: A) ", "removeFromB(_ value: A) ",
                "addToB(_ values: NSOrderedSet) ", "removeFromB(_ values: NSOrderedSet) ",
            ])
    }

    @Test("A class inherits that of the entity's parent, manual entities have none, and an extension is one only") func kinds() throws {
        let text = try lines(
            """
            <entity name="A" representedClassName="A"/>
            <entity name="B" representedClassName=".B" parentEntity="A" codeGenerationType="class"/>
            <entity name="C" representedClassName="C" parentEntity="B" codeGenerationType="category"/>
            """)
        #expect(text.filter { $0.contains("class ") && !$0.contains("func") } == ["public class B: A {"])
        #expect(text.contains("extension C {"))
        #expect(!text.contains { $0.contains("Identifiable") })
    }

    @Test("Hand-written properties may be of generated classes") func mixed() throws {
        let model = try Samples.model("<entity name=\"Pet\" representedClassName=\"Pet\" codeGenerationType=\"class\"/>")
        let code = try Samples.code("import CoreData\nclass Person: NSManagedObject { @NSManaged var pet: Pet? }", models: [model])
        #expect(code.symbols.first == "$s3app6PersonC3petAA3PetCSgvg")
        #expect(code.warnings.isEmpty)
    }

    private static func entity(_ properties: String = "", name: String = "A", class: String = "A", generation: String = "class") -> String {
        "<entity name=\"\(name)\" representedClassName=\"\(`class`)\" codeGenerationType=\"\(generation)\">\(properties)</entity>"
    }

    static let bad: [(String, String)] = [
        (entity(generation: "magic"), "the code generation \"magic\" is not known"),
        (entity(class: "A`"), "A` is not the name of a class in Swift"),
        (
            entity(class: ".Outer.A"),
            "the class Outer.A cannot be declared outside of the type that it is in; its code generation can be Category"
        ),
        (entity("<attribute name=\"a`b\" attributeType=\"String\"/>"), "no property in Swift can have this name"),
        (
            entity("<attribute name=\"isDeleted\" attributeType=\"Boolean\"/>"),
            "managed objects have a member of this name, so that no property can have it"
        ),
        (
            entity("<attribute name=\"a\" attributeType=\"Transformable\" customClassName=\"X { }; import Y\"/>"),
            "the class \"X { }; import Y\" is not the name of a Swift type"
        ),
        (
            entity("<attribute name=\"a\" attributeType=\"Transformable\" customClassName=\"X /* */\"/>"),
            "the class \"X /* */\" is not the name of a Swift type"
        ),
        (entity() + entity(name: "B"), "the class A would be generated for the entity A too"),
    ]

    @Test("What cannot be Swift is an error with its line", arguments: bad) func errors(elements: String, message: String) throws {
        let error = #expect(throws: ModelFileError.self) { try lines(elements) }
        #expect(error?.message == message)
        #expect(error?.line == 3)
    }
}
