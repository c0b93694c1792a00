import CoreData
import Testing

private final class Item: NSObject {
    let number: Int
    init(_ number: Int) { self.number = number }
}

struct FilteringTests {
    @Test("Foundation's collections are filtered by formats") func filtering() {
        let predicate = NSPredicate(format: "SELF > 3")
        #expect(NSArray(array: [1, 5, 9]).filtered(using: predicate) as? [Int] == [5, 9])
        #expect(NSSet(array: [1, 5]).filtered(using: predicate) as? Set<Int> == [5])
        #expect(NSOrderedSet(array: [5, 1]).filtered(using: predicate).array as? [Int] == [5])
        let array = NSMutableArray(array: [1, 5])
        array.filter(using: predicate)
        #expect(array as? [Int] == [5])
    }

    @Test("A predicate of the macro about objects tests them in memory") func macros() throws {
        let predicate = try #require(NSPredicate(#Predicate<Item> { $0.number > 3 }))
        #expect(predicate.evaluate(with: Item(4)))
        #expect(!predicate.evaluate(with: Item(3)))
        #expect(!predicate.evaluate(with: "text"))
        let compound = NSCompoundPredicate(andPredicateWithSubpredicates: [predicate, NSPredicate(format: "number < 5")])
        #expect(compound.evaluate(with: Item(4)))
        #expect(!compound.evaluate(with: Item(5)))
    }
}
