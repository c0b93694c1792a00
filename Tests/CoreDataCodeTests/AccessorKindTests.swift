import StrataCoreDataCode
import Testing

/// What accessors call is found by the type of the property.
///
/// Accessors of the types that Xcode gives a transformable attribute, as `NSObject?`, did not compile: several overloads fitted.
@Suite("What accessors call") struct AccessorKindTests {
    private static let declarations = """
        import CoreData
        class Base: NSManagedObject {}
        final class Color: NSObject, NSSecureCoding {}
        enum Kind: Int16 { case a }
        enum Odd { case a }
        struct Flags: OptionSet { var rawValue: Int }
        class Foreign: Elsewhere {}
        protocol Named {}

        """

    /// What the getter and the setter of a property call, where they call a function that accessors share, what that calls.
    private func calls(_ type: String) throws -> [String] {
        let code = try Samples.code(AccessorKindTests.declarations + "class Person: Base { @NSManaged var a: \(type) }")
        #expect(code.messages.isEmpty)
        let lines = code.text.split(separator: "\n")
        return lines.filter { $0.contains("_silgen_name") }.compactMap { line in
            guard let name = body(line)?.prefix(while: { $0 != "(" }) else { return nil }
            let shared = lines.first {
                $0.hasPrefix("@inline(__always) private nonisolated func \(name)(") || $0.contains(" \(name)<D: NSManagedObject>(")
            }
            return body(shared ?? line).map { String($0.prefix { $0 != " " && $0 != "[" }) }
        }
    }

    private func body(_ line: Substring) -> Substring? { line.split(separator: "{").last?.drop { $0 == " " } }

    @Test(
        "The functions are found by the property's type",
        arguments: [
            ("String", "_managedValue(_managedKeys", "_setManagedValue(value,"),
            ("Date?", "_managedOptionalValue(_managedKeys", "_setManagedOptionalValue(value,"),
            ("TimeInterval", "_managedValue(_managedKeys", "_setManagedValue(value,"),
            ("Kind", "_managedCase(_managedKeys", "_setManagedCase(value,"),
            ("Kind?", "_managedOptionalCase(_managedKeys", "_setManagedOptionalCase(value,"),
            ("Odd", "_managedProperty(_managedKeys", "_setManagedProperty(value,"),
            ("Flags?", "_managedOptionalProperty(_managedKeys", "_setManagedOptionalProperty(value,"),
            ("Foreign?", "_managedOptionalProperty(_managedKeys", "_setManagedOptionalProperty(value,"),
            ("Base?", "_managedOptionalObject(_managedKeys", "_setManagedOptionalObject(value,"),
            ("NSManagedObject", "_managedObject(_managedKeys", "_setManagedObject(value,"),
            ("Set<Person>?", "_managedOptionalSet(_managedKeys", "_setManagedSet(value,"),
            ("Set<String>", "_managedAny(_managedKeys", "_setManagedAny(value,"),
            ("NSSet?", "_managedOptionalNSSet(_managedKeys", "_setManagedNSSet(value,"),
            ("NSOrderedSet!", "_managedOptionalNSOrderedSet(_managedKeys", "_setManagedNSOrderedSet(value,"),
            ("NSMutableSet", "_managedNSMutableSet(_managedKeys", "_setManagedNSSet(value,"),
            ("NSNumber?", "_managedNSNumber(_managedKeys", "_setManagedOptionalAny(value,"),
            ("NSDate", "_managedRequired(_managedNSDate(_managedKeys", "_setManagedAny(value,"),
            ("NSObject?", "_managedOptionalAny(_managedKeys", "_setManagedOptionalAny(value,"),
            ("AnyObject?", "_managedOptionalAny(_managedKeys", "_setManagedOptionalAny(value,"),
            ("(any NSCoding)?", "_managedOptionalAny(_managedKeys", "_setManagedOptionalAny(value,"),
            ("(NSObject & Named)?", "_managedOptionalAny(_managedKeys", "_setManagedOptionalAny(value,"),
            ("Color", "_managedAny(_managedKeys", "_setManagedAny(value,"),
            ("[String: Any]?", "_managedOptionalAny(_managedKeys", "_setManagedOptionalAny(value,"),
            ("[Person]", "_managedAny(_managedKeys", "_setManagedAny(value,"),
            ("NSAttributedString?", "_managedOptionalAny(_managedKeys", "_setManagedOptionalAny(value,"),
            ("CGFloat", "_managedAny(_managedKeys", "_setManagedAny(value,"),
        ])
    func kinds(type: String, getter: String, setter: String) throws { #expect(try calls(type) == [getter, setter]) }

    /// The accessors of generated classes were written into them, which took the compiler twice as long as accessors beside `@NSManaged`.
    @Test("Generated properties have @NSManaged, unless their types or their class may be unknown") func generated() throws {
        let model = try Samples.model(
            """
            <entity name="A" representedClassName="A" codeGenerationType="class">
                <attribute name="name" attributeType="String"/>
                <attribute name="color" attributeType="Transformable" customClassName="Color"/>
            </entity>
            <entity name="B" representedClassName="B" codeGenerationType="category"><attribute name="name" attributeType="String"/></entity>
            """)
        let code = try Samples.code("import Zoo", models: [model])
        #expect(code.text.contains("@NSManaged public var name: String?"))
        #expect(code.text.contains("public var color: Color? {"))
        #expect(code.text.contains("extension B {\n    @nonobjc public class func fetchRequest() -> NSFetchRequest<B> {"))
        #expect(code.text.contains("get { _managedOptionalValue_String(1, self) }"))
        #expect(code.symbols == ["$s3app1AC4nameSSSgvg", "$s3app1AC4nameSSSgvs"])
        #expect(code.messages.isEmpty)
    }
}
