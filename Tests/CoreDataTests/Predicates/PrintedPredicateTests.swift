import CoreData
import Testing

/// Compounds of Foundation's initializers all printed as `FALSEPREDICATE`, and were equal to each other.
@Suite("Printed predicates")
struct PrintedPredicateTests {
    private let x = NSPredicate(format: "x == 10")
    private let y = NSPredicate(format: "y == 30")

    private func text(_ predicate: any Printed) -> String { predicate.predicateFormat }

    @Test("A compound prints its parts, and equals the parsed text") func compounds() {
        let and = NSCompoundPredicate(andPredicateWithSubpredicates: [x, y])
        let or = NSCompoundPredicate(orPredicateWithSubpredicates: [x, y])
        let not = NSCompoundPredicate(notPredicateWithSubpredicate: x)
        let nested = NSCompoundPredicate(type: .or, subpredicates: [and, NSPredicate(format: "z == 20 AND k == 'a'")])
        let texts: [(NSCompoundPredicate, String)] = [
            (and, "x == 10 AND y == 30"), (or, "x == 10 OR y == 30"), (not, "NOT x == 10"),
            (nested, "(x == 10 AND y == 30) OR (z == 20 AND k == \"a\")"),
            (NSCompoundPredicate(andPredicateWithSubpredicates: []), "TRUEPREDICATE"),
        ]
        for (predicate, text) in texts {
            #expect(self.text(predicate) == text)
            #expect(predicate.description == text)
            #expect("\(predicate as NSPredicate)" == text)
        }
        for (predicate, text) in texts.dropLast() {
            #expect(predicate == NSPredicate(format: text))
            #expect(NSPredicate(format: text) == predicate)
            #expect(predicate.hash == NSPredicate(format: text).hash)
            #expect((predicate.copy() as? NSPredicate) == predicate)
        }
        #expect(and != or)
        #expect(and != NSCompoundPredicate(andPredicateWithSubpredicates: [y, x]))
        #expect(and == NSCompoundPredicate(andPredicateWithSubpredicates: [x, y]))
        #expect(and.evaluate(with: ["x": 10, "y": 30]))
        #expect(!not.evaluate(with: ["x": 10]))
        #expect(Set<NSPredicate>([and, or, not, NSPredicate(format: "x == 10 AND y == 30")]).count == 3)
    }

    /// Code that writes the printed text into another format got a quoted name in place of the variable.
    @Test("A key path through a variable prints as it was given") func variablePath() {
        let path = NSExpression(forKeyPath: "$property.object")
        #expect(path.description == "$property.object")
        let compared = NSComparisonPredicate(
            leftExpression: path, rightExpression: NSExpression(forConstantValue: 1), modifier: .direct, type: .equalTo)
        let predicate = NSPredicate(format: "SUBQUERY(pets, $property, \(compared)).@count > 0")
        #expect(text(predicate) == "SUBQUERY(pets, $property, $property.object == 1).@count > 0")
        #expect(predicate.evaluate(with: ["pets": [["object": 1]]]))
    }

    /// Parentheses at the beginning made a compound of two.
    @Test("A parsed compound takes the parts of one of its kind at its beginning") func parsedNesting() {
        #expect(text(NSPredicate(format: "(x == 1 AND y == 2) AND z == 3")) == "x == 1 AND y == 2 AND z == 3")
        #expect(text(NSPredicate(format: "((x == 1 OR y == 2) OR z == 3) OR NOT x == 4")) == "x == 1 OR y == 2 OR z == 3 OR (NOT x == 4)")
        #expect(text(NSPredicate(format: "(x == 1 OR y == 2) AND z == 3")) == "(x == 1 OR y == 2) AND z == 3")
        #expect(text(NSPredicate(format: "x == 1 AND (y == 2 AND z == 3)")) == "x == 1 AND (y == 2 AND z == 3)")
    }

    @Test("NSNull prints as itself") func null() {
        let null = NSExpression(forConstantValue: NSNull())
        #expect(null.description == "<null>")
        #expect(NSExpression(forConstantValue: nil).description == "nil")
        let predicate = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "name"), rightExpression: null, modifier: .direct, type: .equalTo)
        #expect(predicate.predicateFormat == "name == <null>")
        #expect(NSCompoundPredicate(notPredicateWithSubpredicate: predicate).description == "NOT name == <null>")
        #expect(NSPredicate(format: "name == <null>") == predicate)
        #expect(NSPredicate(format: "name == '<null>'") != predicate)
        #expect(predicate.evaluate(with: ["name": NSNull()]))
    }

    @Test(
        "The text of a predicate parses to an equal one",
        arguments: [
            "name LIKE[c] 'a*' AND (age IN {1, 2} OR NOT ANY pets.name CONTAINS[cd] 'x')", "SUBQUERY(pets, $p, $p.age > 3).@count > 0",
            "TERNARY(a == 1, b, c) == 2", "a UNION b == {1}", "CAST(a, 'NSNumber') == 1", "max(a) > sum(b)", "a.@sum.b == 1.5",
            "a[FIRST] == 1", "a[SIZE] > 2", "a BETWEEN {1, $x}", "now() > date", "uppercase(name) MATCHES 'A.*'", "length(name) == 3",
            "FUNCTION(a, 'sum:') == 1", "a + b * -c ** 2 == 5 / d", "SELF IN {'a', nil}", "ALL a.b != 3", "#size == 1", "TRUEPREDICATE",
        ])
    func roundTrips(format: String) {
        let predicate = NSPredicate(format: format)
        let text = text(predicate)
        #expect(NSPredicate(format: text) == predicate, "\(text)")
        #expect(self.text(NSPredicate(format: text)) == text)
    }

    @Test("Expressions made of their parts print, and parse to equal ones") func expressions() {
        let (a, b) = (NSExpression(forKeyPath: "a"), NSExpression(forConstantValue: 5))
        let made = [
            NSExpression(forFunction: "add:to:", arguments: [a, b]), NSExpression(forFunction: "max:", arguments: [a]),
            NSExpression(forFunction: "now", arguments: []), NSExpression(forAggregate: [a, b]), NSExpression(forUnionSet: a, with: a),
            NSExpression(forConditional: x, trueExpression: a, falseExpression: b), NSExpression(forVariable: "v"),
            NSExpression(forSubquery: a, usingIteratorVariable: "p", predicate: NSCompoundPredicate(notPredicateWithSubpredicate: y)),
            NSExpression.expressionForEvaluatedObject(), NSExpression(forConstantValue: "it's \"so\""),
            NSExpression(forConstantValue: Date(timeIntervalSinceReferenceDate: 5.5)),
        ]
        for expression in made { #expect(NSExpression(format: expression.description) == expression, "\(expression)") }
    }
}

/// The format of a predicate, whose declaration in Foundation is marked as deprecated where there is no Objective-C.
private protocol Printed {
    var predicateFormat: String { get }
}

extension NSPredicate: Printed {}
