import CoreData
import Testing

struct ValueTransformerTests {
    private final class ColorTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
        override class var allowedTopLevelClasses: [AnyClass] { super.allowedTopLevelClasses + [Color.self] }
    }

    /// Keeps numbers as text.
    private final class NumbersTransformer: ValueTransformer, @unchecked Sendable {
        override class func transformedValueClass() -> AnyClass { NSData.self }

        override func transformedValue(_ value: Any?) -> Any? {
            (value as? [Int]).map { Data($0.map(String.init).joined(separator: " ").utf8) }
        }

        override func reverseTransformedValue(_ value: Any?) -> Any? {
            (value as? Data).map { String(decoding: $0, as: UTF8.self).split(separator: " ").compactMap { Int($0) } }
        }
    }

    private func archived(_ value: Any, _ transformer: ValueTransformer) -> Any? {
        transformer.transformedValue(transformer.reverseTransformedValue(value))
    }

    @Test("Values of property lists go through an archive") func archives() throws {
        let transformer = try #require(ValueTransformer(forName: .secureUnarchiveFromDataTransformerName))
        #expect(archived("text", transformer) as? String == "text")
        #expect(archived(7, transformer) as? Int == 7)
        #expect(archived(["a", "b"], transformer) as? [String] == ["a", "b"])
        #expect(archived(["a": [1, 2]], transformer) as? [String: [Int]] == ["a": [1, 2]])
        let date = Date(timeIntervalSinceReferenceDate: 5)
        #expect(archived(date, transformer) as? Date == date)
        let id = UUID()
        #expect(archived(id, transformer) as? UUID == id)
    }

    @Test("A class goes through where it is allowed") func classes() throws {
        let plain = try #require(ValueTransformer(forName: .secureUnarchiveFromDataTransformerName))
        #expect(archived(Color(red: 4), plain) == nil)
        let transformer = ColorTransformer()
        #expect((archived(Color(red: 4), transformer) as? Color)?.red == 4)
        let colors = archived([Color(red: 1), Color(red: 2)], transformer) as? [Color]
        #expect(colors?.map(\.red) == [1, 2])
        // What another transformer wrote is not let out.
        #expect(plain.transformedValue(transformer.reverseTransformedValue(Color(red: 4))) == nil)
    }

    @Test("Damaged data are no value") func damage() throws {
        let transformer = try #require(ValueTransformer(forName: .secureUnarchiveFromDataTransformerName))
        let data = try #require(transformer.reverseTransformedValue(["a", "b"]) as? Data)
        #expect(transformer.transformedValue(Data([1, 2, 3])) == nil)
        #expect(transformer.transformedValue(data.prefix(data.count / 2)) == nil)
        #expect(transformer.transformedValue(nil) == nil)
    }

    @Test("Truth is negated, and nil distinguished from a value") func simple() throws {
        let negate = try #require(ValueTransformer(forName: .negateBooleanTransformerName))
        #expect(negate.transformedValue(true) as? Bool == false)
        #expect(negate.reverseTransformedValue(false) as? Bool == true)
        let isNil = try #require(ValueTransformer(forName: .isNilTransformerName))
        #expect(isNil.transformedValue(nil) as? Bool == true)
        #expect(!type(of: isNil).allowsReverseTransformation())
        #expect(ValueTransformer(forName: .isNotNilTransformerName)?.transformedValue(1) as? Bool == true)
    }

    @Test("A transformer is found by its name, and by its class alone where that is asked") func names() {
        let name = NSValueTransformerName("ColorsOfNames")
        ValueTransformer.setValueTransformer(ColorTransformer(), forName: name)
        #expect(ValueTransformer.valueTransformerNames().contains(name))
        #expect(ColorTransformer(forName: name) != nil)
        #expect(NumbersTransformer(forName: name) == nil)
        ValueTransformer.setValueTransformer(nil, forName: name)
        #expect(ValueTransformer(forName: name) == nil)
    }

    @Test("A transformable attribute is kept as its transformer says") func attributes() throws {
        let name = NSValueTransformerName("NumbersOfAttributes")
        ValueTransformer.setValueTransformer(NumbersTransformer(), forName: name)
        let (numbers, tags) = (NSAttributeDescription(), NSAttributeDescription())
        (numbers.name, numbers.attributeType, numbers.valueTransformerName) = ("numbers", .transformableAttributeType, name.rawValue)
        (tags.name, tags.attributeType) = ("tags", .transformableAttributeType)
        let context = try MemoryStack.context(of: OneEntityModel.make("Note", properties: [numbers, tags]))
        try context.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue([1, 2], forKey: "numbers")
            note.setValue(["a", "b"], forKey: "tags")
            try context.save()
            context.refresh(note, mergeChanges: false)
            #expect(note.value(forKey: "numbers") as? [Int] == [1, 2])
            #expect(note.value(forKey: "tags") as? [String] == ["a", "b"])
            // A set was taken for the members of a relationship, and kept empty.
            note.setValue(Set(["a", "b"]), forKey: "tags")
            try context.save()
            context.refresh(note, mergeChanges: false)
            #expect(note.value(forKey: "tags") as? Set<String> == ["a", "b"])
        }
    }

    /// Many models name the constant instead of its value.
    @Test("A transformer that no program registers is replaced by the default one, and data stay data") func missing() throws {
        let tags = PeopleModel.attribute("tags", .transformableAttributeType)
        tags.valueTransformerName = "NSSecureUnarchiveFromDataTransformerName"
        let context = try MemoryStack.context(of: OneEntityModel.make("Note", properties: [tags]))
        try context.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            for value in [["a", "b"] as NSArray, Data([1, 2]) as NSData] {
                note.setValue(value, forKey: "tags")
                try context.save()
                context.refresh(note, mergeChanges: false)
                #expect(note.value(forKey: "tags") as? NSObject == value)
            }
        }
    }

    /// Setting a value that its transformer makes nothing of ended the program, where Core Data stores none.
    @Test("A value of which a transformer makes nothing is stored as none") func nothing() throws {
        let name = NSValueTransformerName("NumbersOfNothing")
        ValueTransformer.setValueTransformer(NumbersTransformer(), forName: name)
        let numbers = PeopleModel.attribute("numbers", .transformableAttributeType)
        numbers.valueTransformerName = name.rawValue
        let context = try MemoryStack.context(of: OneEntityModel.make("Note", properties: [numbers]))
        try context.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue([1], forKey: "numbers")
            note.setValue("no numbers", forKey: "numbers")
            #expect(note.value(forKey: "numbers") == nil)
            note.setPrimitiveValue("no numbers", forKey: "numbers")
            try context.save()
            context.refresh(note, mergeChanges: false)
            #expect(note.value(forKey: "numbers") == nil)
        }
    }
}
