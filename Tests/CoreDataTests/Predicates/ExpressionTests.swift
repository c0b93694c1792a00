import CoreData
import Testing

struct ExpressionTests {
    private func value(_ expression: NSExpression, _ object: Any? = nil) -> Any? { expression.expressionValue(with: object, context: nil) }

    @Test("An expression computes what its format says") func formats() {
        #expect(value(NSExpression(format: "4 + 5 - 2**3")) as? Int == 1)
        #expect(value(NSExpression(format: "5 / 2")) as? Int == 2)
        #expect(value(NSExpression(format: "%K * %f", "price", 1.5), ["price": 4]) as? Double == 6)
        #expect(value(NSExpression(format: "a.b", argumentArray: []), ["a": ["b": 5]]) as? Int == 5)
        #expect(value(NSExpression(format: "a[1]"), ["a": [4, 5]]) as? Int == 5)
        #expect(value(NSExpression(format: "a[SIZE]"), ["a": [4, 5]]) as? Int == 2)
    }

    @Test(
        "The predefined functions compute",
        arguments: [
            ("average:", [[1, 2, 3]], 2), ("sum:", [[1, 2, 3]], 6), ("count:", [[1, 2, 3]], 3), ("min:", [[1, 2, 3]], 1),
            ("max:", [[1, 2, 3]], 3),
            ("median:", [[1, 2, 4]], 2), ("add:to:", [1, 2], 3), ("from:subtract:", [5, 2], 3), ("multiply:by:", [5, 2], 10),
            ("divide:by:", [5.0, 2], 2.5), ("modulus:by:", [5, 3], 2), ("sqrt:", [9], 3), ("log:", [100], 2), ("ln:", [1], 0),
            ("raise:toPower:", [2, 10], 1024), ("exp:", [0], 1), ("floor:", [1.7], 1), ("ceiling:", [1.2], 2), ("abs:", [-3], 3),
            ("trunc:", [-1.7], -1), ("length:", ["abc"], 3), ("noindex:", [4], 4), ("bitwiseAnd:with:", [6, 3], 2),
            ("bitwiseOr:with:", [6, 3], 7),
            ("bitwiseXor:with:", [6, 3], 5), ("leftshift:by:", [1, 3], 8), ("rightshift:by:", [8, 3], 1), ("onesComplement:", [0], -1),
            ("castObject:toType:", ["5", "NSNumber"], 5),
        ] as [(String, [any Sendable], Double)])
    func functions(name: String, arguments: [any Sendable], result: Double) {
        let expression = NSExpression(forFunction: name, arguments: arguments.map { NSExpression(forConstantValue: $0) })
        #expect(value(expression) as? Double == result)
        #expect(expression.function == name)
    }

    @Test("Functions of text, of lists and of time compute") func otherFunctions() throws {
        func text(_ name: String, _ text: String) -> String? {
            value(NSExpression(forFunction: name, arguments: [NSExpression(forConstantValue: text)])) as? String
        }
        #expect(text("uppercase:", "abc") == "ABC")
        #expect(text("lowercase:", "ABC") == "abc")
        #expect(text("canonical:", "Élan") == "elan")
        let numbers = NSExpression(forConstantValue: [1, 2, 3, 4, 4, 5, 9, 11])
        #expect(value(NSExpression(forFunction: "mode:", arguments: [numbers])) as? [Int] == [4])
        #expect(value(NSExpression(forFunction: "distinct:", arguments: [numbers])) as? [Int] == [1, 2, 3, 4, 5, 9, 11])
        let deviation = try #require(value(NSExpression(forFunction: "stddev:", arguments: [numbers])) as? Double)
        #expect(abs(deviation - 3.2186) < 0.0001)
        #expect(value(NSExpression(forFunction: "now", arguments: [])) is Date)
        let target = NSExpression(forFunction: NSExpression(forConstantValue: [1, 2]), selectorName: "sum:", arguments: nil)
        #expect(value(target) as? Int == 3)
    }

    @Test("Two collections become one set") func sets() {
        let (a, b) = (NSExpression(forConstantValue: [1, 2]), NSExpression(forConstantValue: Set([2, 3])))
        #expect(value(NSExpression(forUnionSet: a, with: b)) as? Set<Int> == [1, 2, 3])
        #expect(value(NSExpression(forIntersectSet: a, with: b)) as? Set<Int> == [2])
        #expect(value(NSExpression(forMinusSet: a, with: b)) as? Set<Int> == [1])
    }

    @Test("Subqueries, conditions, lists and closures compute") func compositeExpressions() {
        let object: [String: Any] = ["pets": [["age": 3], ["age": 5]], "age": 40]
        let old = NSExpression(
            forSubquery: NSExpression(forKeyPath: "pets"), usingIteratorVariable: "p", predicate: NSPredicate(format: "$p.age > 3"))
        #expect(value(old, object) as? [[String: Int]] == [["age": 5]])
        let conditional = NSExpression(
            forConditional: NSPredicate(format: "age > 30"), trueExpression: NSExpression(forConstantValue: "old"),
            falseExpression: NSExpression(forConstantValue: "young"))
        #expect(value(conditional, object) as? String == "old")
        #expect(value(conditional, ["age": 3]) as? String == "young")
        #expect(value(NSExpression(forAggregate: [NSExpression(forKeyPath: "age"), 5]), object) as? [Int] == [40, 5])
        let block = NSExpression(
            block: { _, arguments, _ in (arguments[0] as? Int ?? 0) + 2 }, arguments: [NSExpression(forKeyPath: "age")])
        #expect(value(block, object) as? Int == 42)
        #expect(block == block)
    }

    @Test("Variables get their values from the context") func variables() {
        let context = NSMutableDictionary()
        context["v"] = 7
        #expect(NSExpression(forVariable: "v").expressionValue(with: nil, context: context) as? Int == 7)
    }

    @Test("Each kind has its parts and its raw value") func parts() {
        #expect(NSExpression(forConstantValue: 5).expressionType.rawValue == 0)
        #expect(NSExpression.expressionForEvaluatedObject().expressionType.rawValue == 1)
        #expect(NSExpression(forVariable: "x").expressionType.rawValue == 2)
        #expect(NSExpression(forKeyPath: "a.b").expressionType.rawValue == 3)
        #expect(NSExpression(format: "max(a, b)").expressionType.rawValue == 4)
        #expect(NSExpression(format: "a MINUS b").expressionType.rawValue == 7)
        #expect(NSExpression(format: "SUBQUERY(a, $x, $x == 1)").expressionType.rawValue == 13)
        #expect(NSExpression(format: "{a, b}").expressionType.rawValue == 14)
        #expect(NSExpression.expressionForAnyKey().expressionType.rawValue == 15)
        #expect(NSExpression(block: { _, _, _ in 1 }, arguments: nil).expressionType.rawValue == 19)
        #expect(NSExpression(format: "TERNARY(a == 1, b, c)").true.keyPath == "b")
        #expect(NSExpression(format: "a UNION b").right.keyPath == "b")
        #expect(NSExpression(format: "a + b - c").function == "from:subtract:")
        #expect(NSExpression(format: "a + b - c").arguments?.first?.function == "add:to:")
        #expect(NSExpression(format: "SUBQUERY(a, $x, $x == 1)").variable == "x")
    }

    @Test("Expressions print and are equal by content") func content() {
        #expect(NSExpression(forFunction: "max:", arguments: [NSExpression(forKeyPath: "age")]).description == "max:(age)")
        #expect(NSExpression(forConstantValue: nil).description == "nil")
        #expect(NSExpression(forVariable: "x").description == "$x")
        #expect(Set([NSExpression(forKeyPath: "a"), NSExpression(forKeyPath: "a"), NSExpression(forKeyPath: "b")]).count == 2)
    }
}
