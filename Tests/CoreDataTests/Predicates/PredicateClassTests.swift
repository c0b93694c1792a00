import CoreData
import Testing

struct PredicateClassTests {
    @Test("A format of several conditions makes a compound") func compounds() throws {
        let and = try #require(NSPredicate(format: "a == 1 AND b == 2 AND c == 3") as? NSCompoundPredicate)
        #expect(and.compoundPredicateType == .and)
        #expect(and.subpredicates.count == 3)
        #expect((NSPredicate(format: "a == 1 OR b == 2") as? NSCompoundPredicate)?.compoundPredicateType == .or)
        #expect((NSPredicate(format: "NOT a == 1") as? NSCompoundPredicate)?.compoundPredicateType == .not)
    }

    @Test("A format of one condition makes a comparison") func comparisons() throws {
        let comparison = try #require(NSPredicate(format: "ANY a.b BEGINSWITH[cd] 'x'") as? NSComparisonPredicate)
        #expect(comparison.predicateOperatorType == .beginsWith)
        #expect(comparison.options == [.caseInsensitive, .diacriticInsensitive])
        #expect(comparison.comparisonPredicateModifier == .any)
        #expect(comparison.leftExpression.keyPath == "a.b")
        #expect(comparison.rightExpression.constantValue as? String == "x")
    }

    @Test("Lists in the text are aggregates, lists among the arguments constants") func lists() throws {
        let literal = try #require(NSPredicate(format: "a IN {1, 2}") as? NSComparisonPredicate)
        #expect(literal.rightExpression.expressionType == .aggregate)
        let argument = try #require(NSPredicate(format: "a IN %@", [1, 2]) as? NSComparisonPredicate)
        #expect(argument.rightExpression.expressionType == .constantValue)
        #expect(argument.rightExpression.constantValue as? [Int] == [1, 2])
        #expect(literal == argument)
    }

    @Test("A comparison is made of its parts") func parts() {
        let made = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "name"), rightExpression: NSExpression(forConstantValue: "x"), modifier: .direct,
            type: .contains, options: .caseInsensitive)
        #expect(made == NSPredicate(format: "name CONTAINS[c] 'x'"))
        #expect(made != NSPredicate(format: "name CONTAINS 'x'"))
        #expect(made.hash == NSPredicate(format: "name CONTAINS[c] %@", "x").hash)
        #expect(made.evaluate(with: ["name": "aXb"]))
    }

    @Test("The operators have Core Data's raw values") func rawValues() {
        typealias Operator = NSComparisonPredicate.Operator
        let operators: [Operator] = [
            .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo, .matches, .like, .beginsWith,
            .endsWith,
            .in, .customSelector, .contains, .between,
        ]
        #expect(operators.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 99, 100])
        #expect(NSComparisonPredicate.Modifier.all.rawValue == 1)
        #expect(NSComparisonPredicate.Modifier.any.rawValue == 2)
        #expect(NSComparisonPredicate.Options.normalized.rawValue == 4)
    }

    @Test("Predicates are equal by content") func equality() {
        let (a, b) = (NSPredicate(format: "a == 1 AND b IN %@", ["x"]), NSPredicate(format: "a = 1 && b IN {'x'}"))
        #expect(a == b)
        #expect(a.hash == b.hash)
        #expect(a != NSPredicate(format: "a == 1 OR b IN {'x'}"))
        #expect(NSPredicate(value: true) != NSPredicate(format: "a == 1"))
        #expect((a.copy() as? NSPredicate) == a)
    }

    @Test("Compounds of one's own hold comparisons, blocks and each other") func ownCompounds() {
        let block = NSPredicate { object, _ in (object as? [String: Int])?["b"] == 2 }
        let compound = NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate(format: "a == 1"), NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(format: "b == 3")), block,
        ])
        #expect(compound.evaluate(with: ["a": 1, "b": 2]))
        #expect(!compound.evaluate(with: ["a": 1, "b": 3]))
        #expect(NSCompoundPredicate(andPredicateWithSubpredicates: []).evaluate(with: nil))
        #expect(!NSCompoundPredicate(orPredicateWithSubpredicates: []).evaluate(with: nil))
    }
}
