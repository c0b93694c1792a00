import CoreData
import Testing

struct FormatTests {
    @Test(
        "A format prints as Core Data prints it",
        arguments: [
            ("name == 'x' AND age > 5", "name == \"x\" AND age > 5"),
            ("name = 'x' && age => 5", "name == \"x\" AND age >= 5"),
            ("a == 1 OR b == 2 AND c == 3", "a == 1 OR (b == 2 AND c == 3)"),
            ("(a == 1 OR b == 2) AND c == 3", "(a == 1 OR b == 2) AND c == 3"),
            ("NOT a == 1", "NOT a == 1"),
            ("NOT (a == 1 AND b == 2)", "NOT (a == 1 AND b == 2)"),
            ("flag == YES", "flag == 1"),
            ("x != NULL", "x != nil"),
            ("name IN {'a', 'b'}", "name IN {\"a\", \"b\"}"),
            ("age BETWEEN {18, 65}", "age BETWEEN {18, 65}"),
            ("name BEGINSWITH[cd] 'a'", "name BEGINSWITH[cd] \"a\""),
            ("ANY pets.age < 3", "ANY pets.age < 3"),
            ("NONE pets.age < 3", "NOT ANY pets.age < 3"),
            ("SUBQUERY(pets, $p, $p.age > 3).@count > 0", "SUBQUERY(pets, $p, $p.age > 3).@count > 0"),
            ("a + b * 2 > 7 - c", "a + b * 2 > 7 - c"),
            ("age >= $MIN", "age >= $MIN"),
            ("SELF > 1", "SELF > 1"),
            ("x == '%@'", "x == \"%@\""),
        ])
    func printing(format: String, text: String) {
        #expect("\(NSPredicate(format: format))" == text)
    }

    @Test("Arguments of every kind take the place of their placeholders") func placeholders() {
        let numbers = NSPredicate(
            format: "a == %d AND b == %i AND c == %u AND d == %ld AND e == %lld AND f == %lu", 1, Int32(2), UInt32(3), 4, Int64(5), UInt(6))
        #expect("\(numbers)" == "a == 1 AND b == 2 AND c == 3 AND d == 4 AND e == 5 AND f == 6")
        #expect(
            "\(NSPredicate(format: "a == %f AND b == %lf AND c == %g AND d == %f", 1.5, 0.25, Float(0.5), 2))"
                == "a == 1.5 AND b == 0.25 AND c == 0.5 AND d == 2")
        #expect("\(NSPredicate(format: "%K == %@ AND %K.%K != %s", "name", "x", "a", "b", "y"))" == "name == \"x\" AND a.b != \"y\"")
        #expect("\(NSPredicate(format: "a == %@ AND b == %@", true, NSNumber(value: false)))" == "a == 1 AND b == 0")
        #expect("\(NSPredicate(format: "a == %@", NSDecimalNumber(string: "1.5")))" == "a == 1.5")
        #expect("\(NSPredicate(format: "a IN %@ AND b IN %@", ["x", "y"], NSSet(array: [1])))" == "a IN {\"x\", \"y\"} AND b IN {1}")
    }

    /// Swift passes the elements of such an array as arguments of their own.
    @Test("An array of any values is the list of one placeholder") func anyValues() {
        let (ids, one): ([Any], [Any]) = ([1, 2], [AnyHashable("x")])
        #expect("\(NSPredicate(format: "id IN %@", ids))" == "id IN {1, 2}")
        #expect("\(NSPredicate(format: "id IN %@", one))" == "id IN {\"x\"}")
        #expect("\(NSPredicate(format: "id IN %@", [] as [Any]))" == "id IN {}")
        #expect("\(NSPredicate(format: "id IN %@", [1]))" == "id IN {1}")
        #expect("\(NSPredicate(format: "id IN %@ AND name == %@", ids, "x"))" == "id IN {1, 2} AND name == \"x\"")
        #expect("\(NSExpression(format: "sum(%@)", ids))" == "sum:({1, 2})")
    }

    @Test("An argument without a placeholder is passed over") func surplus() {
        #expect("\(NSPredicate(format: "a == 1", "x", 5))" == "a == 1")
        #expect("\(NSPredicate(format: "a == %@", argumentArray: [1, 2]))" == "a == 1")
    }

    @Test("No value is nil, in whatever form it comes") func noValue() {
        let none: String? = nil
        #expect("\(NSPredicate(format: "a == %@ AND b == %@", none as Any, NSNull()))" == "a == nil AND b == <null>")
        #expect("\(NSPredicate(format: "a == %@", argumentArray: [Optional("x") as Any]))" == "a == \"x\"")
    }

    @Test("What code casts to CVarArg is an argument") func castArguments() {
        let (id, date) = (UUID(), Date(timeIntervalSinceReferenceDate: 5))
        let arguments: [any CVarArg] = [
            id, date, date as NSDate, [id], NSNumber(value: 1), URL(fileURLWithPath: "/a"), Data([1]), Decimal(2),
        ]
        #expect(NSPredicate(format: "id == %@", id as any CVarArg).evaluate(with: ["id": id]))
        #expect(NSPredicate(format: "id IN %@", [id] as any CVarArg).evaluate(with: ["id": id]))
        #expect(NSPredicate(format: "date == %@", arguments[2]).evaluate(with: ["date": date]))
        #expect(String(format: "%@", id as any CVarArg) == id.uuidString)
        #expect(arguments.count == 8)
    }

    @Test("An expression is an argument with its own value") func expressions() {
        #expect("\(NSPredicate(format: "%@ > 5", NSExpression(forKeyPath: "a")))" == "a > 5")
    }
}
