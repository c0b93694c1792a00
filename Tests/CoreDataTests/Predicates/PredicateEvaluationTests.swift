import CoreData
import Testing

private struct Pet {
    var name: String
    var age: Int
    var tag: String?
}

private class Person {
    let name: String
    let age: Int
    let pets: [Pet]
    let boss: Person?

    init(_ name: String, _ age: Int, pets: [Pet] = [], boss: Person? = nil) {
        (self.name, self.age, self.pets, self.boss) = (name, age, pets, boss)
    }
}

private final class Worker: Person {
    let pay = 10.5
}

struct PredicateEvaluationTests {
    private let bob = Person("Bob", 40, pets: [Pet(name: "Rex", age: 3), Pet(name: "Tom", age: 5, tag: "x")])
    private var ann: Worker { Worker("Ann", 20, boss: bob) }

    private func holds(_ format: String, _ object: Any?, _ arguments: Any...) -> Bool {
        NSPredicate(format: format, argumentArray: arguments).evaluate(with: object)
    }

    @Test(
        "Every operator of the format language compares text and numbers",
        arguments: [
            "age > 17", "age < 19", "age == 18", "age >= 18", "age <= 18", "age != 17", "name IN {'张三', '李四'}", "age BETWEEN {18, 65}",
            "name BEGINSWITH '张'", "name ENDSWITH '三'", "name CONTAINS '三'", "name LIKE '*三'", "name LIKE '?三'", "name MATCHES '(张|李).'",
            "NOT name MATCHES '张'", "age + 2 == 20", "TERNARY(age > 20, 'old', 'young') == 'young'", "missing == nil", "missing != 5",
            "NOT missing < 5",
        ])
    func operators(format: String) {
        #expect(holds(format, ["name": "张三", "age": 18] as [String: Any]))
    }

    @Test("Text differs by case and diacritics unless options say otherwise") func options() {
        #expect(holds("SELF CONTAINS[cd] 'cafe'", "Un CAFÉ"))
        #expect(!holds("SELF CONTAINS[c] 'cafe'", "Un CAFÉ"))
        #expect(!holds("SELF == 'bob'", "Bob"))
        #expect(holds("SELF ==[c] 'bob'", "Bob"))
        #expect(holds("SELF IN[c] {'BOB'}", "bob"))
        #expect(holds("SELF MATCHES[c] 'B.B'", "bob"))
    }

    @Test("Keys name the stored properties of any value, inherited ones too") func properties() {
        #expect(holds("name == 'Bob' AND age > 30", bob))
        #expect(holds("pay > 10 AND name == 'Ann' AND boss.name == %@", ann, "Bob"))
        #expect(holds("boss == nil", bob))
        #expect(holds("boss == %@", ann, bob))
        #expect(holds("SELF IN %@", bob, [bob]))
        #expect(holds("tag == nil", Pet(name: "a", age: 1)))
        #expect(holds("tag == 'x'", bob.pets[1]))
    }

    @Test("ANY, ALL and NONE are about the elements of a collection") func quantifiers() {
        #expect(holds("ANY pets.age > 4", bob))
        #expect(!holds("ALL pets.age > 4", bob))
        #expect(holds("NONE pets.age > 5", bob))
        #expect(holds("SOME pets.name == 'Tom'", bob))
        #expect(holds("ALL pets.age > 4", ann))
        #expect(!holds("ANY pets.age > 4", ann))
        #expect(holds("ANY a.b.c == 3", ["a": [["b": [["c": 1], ["c": 3]]]]]))
    }

    @Test("Collection operators stand before or behind what they are about") func collectionOperators() {
        #expect(holds("pets.@count == 2", bob))
        #expect(holds("pets.@sum.age == 8 AND pets.age.@sum == 8", bob))
        #expect(holds("pets.@avg.age == 4 AND pets.@min.age == 3 AND pets.@max.age == 5", bob))
        #expect(holds("pets.@distinctUnionOfObjects.age.@count == 2", bob))
        #expect(holds("SELF.@sum.x == 3", [["x": 1], ["x": 2]]))
        #expect(holds("@count == 2", [1, 2]))
    }

    @Test("A subquery filters by a condition on its variable") func subqueries() {
        #expect(holds("SUBQUERY(pets, $p, $p.age > 3 AND $p.name LIKE 'T*').@count == 1", bob))
        #expect(holds("SUBQUERY(pets, $p, $p.age > 3)[FIRST].name == 'Tom'", bob))
    }

    @Test("Collections of all kinds contain, and are compared with") func collections() {
        for tags in [
            ["a", "b"], NSArray(array: ["a", "b"]), Set(["a", "b"]), NSSet(array: ["a", "b"]), NSOrderedSet(array: ["a", "b"]),
        ] as [Any] {
            #expect(holds("'b' IN tags AND tags CONTAINS 'a' AND tags.@count == 2 AND ANY tags BEGINSWITH 'b'", ["tags": tags]))
            #expect(holds("SELF IN %@", "a", tags))
        }
        #expect(holds("SELF IN %@", 5, 1...9))
        #expect(holds("SELF IN %@", "a", ["key": "a"]))
    }

    @Test("Numbers compare by magnitude whatever their type") func numbers() {
        let values: [Any] = [5, Int16(5), UInt8(5), 5.0, Float(5), Decimal(5), NSNumber(value: 5), NSDecimalNumber(value: 5)]
        for value in values {
            #expect(holds("n == 5 AND n == 5.0 AND n < 5.5 AND n IN {4, 5}", ["n": value]))
            #expect(holds("SELF == %@", 5, value))
        }
        #expect(holds("flag == YES AND flag == 1 AND flag == %@", ["flag": true], NSNumber(value: true)))
    }

    @Test("Dates, identifiers and addresses compare in both of their forms") func otherValues() throws {
        let (id, date, url) = (UUID(), Date(), try #require(URL(string: "https://x.y/z")))
        let object: [String: Any] = ["id": id, "date": date, "url": url]
        #expect(holds("id == %@ AND id == %@", object, id, try #require(NSUUID(uuidString: id.uuidString))))
        #expect(holds("date == %@ AND date > %@", object, date as NSDate, date.addingTimeInterval(-1)))
        #expect(holds("url == %@ AND url.host == 'x.y'", object, url))
    }

    @Test("Text answers to the keys of its Foundation class") func textKeys() {
        #expect(holds("length == 3 AND self.length == 3 AND uppercaseString == 'ABC'", "abc"))
        #expect(holds("name.length > 2", ["name": "abc"]))
    }
}
