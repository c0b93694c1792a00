import CoreData
import Testing

struct SubstitutionTests {
    private let template = NSPredicate(format: "age >= $MIN AND name == $NAME")

    @Test("Values take the place of variables") func substituting() {
        let predicate = template.withSubstitutionVariables(["MIN": 18, "NAME": "x"])
        #expect("\(predicate)" == "age >= 18 AND name == \"x\"")
        #expect("\(template)" == "age >= $MIN AND name == $NAME")
        #expect("\(NSPredicate(format: "a == $b").withSubstitutionVariables(["b": NSNull()]))" == "a == <null>")
    }

    @Test("Variables get their values while a predicate is evaluated") func evaluating() {
        let person: [String: Any] = ["age": 20, "name": "x"]
        #expect(template.evaluate(with: person, substitutionVariables: ["MIN": 18, "NAME": "x"]))
        #expect(!template.evaluate(with: person, substitutionVariables: ["MIN": 30, "NAME": "x"]))
    }

    @Test("The variable of a subquery is its own") func subqueries() {
        let predicate = NSPredicate(format: "SUBQUERY(a, $x, $x.b == $y).@count > 0")
        #expect("\(predicate.withSubstitutionVariables(["x": 1, "y": 2]))" == "SUBQUERY(a, $x, $x.b == 2).@count > 0")
    }

    @Test("A block gets the values that were substituted") func blocks() {
        let block = NSPredicate { _, bindings in bindings?["x"] as? Int == 5 }
        #expect(block.withSubstitutionVariables(["x": 5]).evaluate(with: nil))
        #expect(NSCompoundPredicate(notPredicateWithSubpredicate: block).withSubstitutionVariables(["x": 4]).evaluate(with: nil))
    }
}
