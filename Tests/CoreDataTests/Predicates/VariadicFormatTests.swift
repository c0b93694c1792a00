import CoreData
import Testing

/// `NSPredicate(format:arguments:)` with a list of C's was missing, which helpers of applications hand their own arguments on with.
@Suite("Formats with lists of C's")
struct VariadicFormatTests {
    @Test("A list gives its numbers and texts") func values() {
        let predicate = withVaList(["name", "it's", 2, -3 as Int32, 2.5, UInt64.max]) {
            NSPredicate(format: "%K == %@ AND age > %ld AND age < %d AND size < %.2f AND count == %llu", arguments: $0)
        }
        #expect(predicate == NSPredicate(format: "name == \"it's\" AND age > 2 AND age < -3 AND size < 2.5 AND count == %@", UInt64.max))
    }

    @Test("What is within quotes is no placeholder, and a format may have none") func quotes() {
        let predicate = withVaList([7]) { NSPredicate(format: "name == '%@' AND other == \"%d\\\"\" AND age == %d", arguments: $0) }
        #expect(predicate == NSPredicate(format: "name == '%@' AND other == '%d\"' AND age == 7"))
        #expect(withVaList([]) { NSPredicate(format: "TRUEPREDICATE", arguments: $0) }.evaluate(with: nil))
    }

    @Test("Objects and collections stay what they are") func objects() throws {
        let context = try MemoryStack.context("Person", [("age", .integer16AttributeType)])
        context.performAndWait {
            let (ada, bob) = (context.insert("Person"), context.insert("Person"))
            let date = Date(timeIntervalSinceReferenceDate: 5)
            let predicate = withVaList([ada, [ada, bob], date, NSNull()]) {
                NSPredicate(format: "SELF == %@ AND SELF IN %@ AND %@ != %@", arguments: $0)
            }
            #expect(predicate.evaluate(with: ada))
            #expect(!predicate.evaluate(with: bob))
        }
    }

    @Test("An object is printed by its description among the arguments of a text") func texts() {
        #expect(String(format: "%@ of %d", [1, 2], 3) == "[1, 2] of 3")
    }
}

/// `FETCH(%@, %@, NO)` was refused, as the language's own fetch begins with the name of an entity.
@Suite("Fetches within formats")
struct FetchFormatTests {
    private let context: NSManagedObjectContext
    private let request = NSFetchRequest<NSManagedObject>(entityName: "Person")

    init() throws {
        context = try MemoryStack.context("Person", [("age", .integer16AttributeType)])
        context.performAndWait { for age in 1...3 { context.insert("Person").setValue(age, forKey: "age") } }
        request.predicate = NSPredicate(format: "age > 1")
    }

    private func count(_ predicate: NSPredicate) throws -> Int {
        let all = NSFetchRequest<NSManagedObject>(entityName: "Person")
        all.predicate = predicate
        return try context.count(for: all)
    }

    @Test("A request and a context are arguments of FETCH") func arguments() throws {
        try context.performAndWait {
            let members = try count(NSPredicate(format: "SELF IN FETCH(%@, %@, NO)", request, context))
            let younger = try count(NSPredicate(format: "age < fetch( %@ , %@ , YES )", request, context))
            #expect(members == 2)
            #expect(younger == 1)
            let expression = NSExpression(format: "FETCH(%@, %@, YES)", request, context)
            #expect(expression.expressionType == .fetchRequest)
            #expect(expression.expressionValue(with: nil, context: nil) as? Int == 2)
        }
    }

    @Test("They may be variables, and the word may be within quotes") func variables() throws {
        try context.performAndWait {
            let values: [String: Any] = ["request": request, "context": context]
            let predicate = NSPredicate(format: "SELF IN FETCH($request, $context, NO) AND 'FETCH(%@,' != ''")
            let members = try count(predicate.withSubstitutionVariables(values))
            #expect(members == 2)
        }
    }

    @Test("The language's own fetch is what it was") func named() throws {
        let members = try context.performAndWait { try count(NSPredicate(format: "SELF IN FETCH('Person', 'age == 2', NO)")) }
        #expect(members == 1)
    }
}

extension NSManagedObjectContext {
    /// A new object of the entity with a name.
    fileprivate func insert(_ name: String) -> NSManagedObject { NSEntityDescription.insertNewObject(forEntityName: name, into: self) }
}
