import StrataModelFiles
import Testing

/// Each reason why a predicate of a compiled model cannot be read.
@Suite("Messages of archived predicates") struct ExpressionMessageTests {
    private static let name = path("name")

    private static func path(_ path: String) -> Archived { .object("NSKeyPathSpecifierExpression", ["NSKeyPath": .text(path)]) }

    private static func constant(_ value: Archived) -> Archived {
        .object("NSConstantValueExpression", ["NSConstantValue": value])
    }

    private static func equal(_ left: Archived, _ right: Archived = name, type: Int = 4, modifier: Int = 0) -> Archived {
        .object(
            "NSComparisonPredicate",
            [
                "NSLeftExpression": left, "NSRightExpression": right,
                "NSPredicateOperator": .object("NSPredicateOperator", ["NSOperatorType": .int(type), "NSModifier": .int(modifier)]),
            ])
    }

    private static func warnings(_ predicate: Archived, _ limits: ModelFileLimits = ModelFileLimits()) throws -> [String] {
        let request = Archived.object("NSFetchRequest", ["NSEntityName": .text("A"), "NSPredicate": predicate])
        let model = Archived.object(
            "NSManagedObjectModel",
            [
                "NSEntities": .dictionary(["A": .object("NSEntityDescription", ["NSEntityName": .text("A")])]),
                "NSFetchRequestTemplates": .dictionary(["t": request]),
            ])
        return try ModelFile(compiled: model.archive, limits: limits).warnings.map(\.message)
    }

    @Test(
        "A predicate that cannot be read is left out with the reason",
        arguments: [
            (.object("NSOwnPredicate", [:]), "the class NSOwnPredicate is no predicate"),
            (
                .object("NSCompoundPredicate", ["NSCompoundPredicateType": .int(0), "NSSubpredicates": .list([])]),
                "there is no compound predicate of type 0 with 0 parts"
            ),
            (.object("NSComparisonPredicate", [:]), "a comparison has no operator"),
            (equal(name, type: 11), "the operator 11 is not known"), (equal(name, modifier: 3), "the modifier 3 is not known"),
            (equal(.text("x")), "NSLeftExpression is missing"), (equal(.object("", [:])), "a part has no class"),
            (equal(.object("NSVariableExpression", [:])), "NSVariable is missing"),
            (equal(.object("NSBlockExpression", [:])), "expressions of the class NSBlockExpression are not supported"),
            (equal(.object("NSSubqueryExpression", [:])), "a subquery has no condition"),
            (equal(.object("NSTernaryExpression", [:])), "a ternary expression has no condition"),
            (equal(.object("NSSetExpression", ["NSExpressionType": .int(99)])), "a set expression is of no known type"),
            (
                equal(.object("NSConstantValueExpression", ["NSConstantValueClassName": .text("NSString")])),
                "a class is no constant"
            ),
            (equal(constant(.object("NSColor", [:]))), "constants of the class NSColor are not supported"),
            (equal(constant(.list([.object("NSColor", [:])]))), "an element of a list is no value"),
            (
                equal(.object("NSKeyPathExpression", ["NSArguments": .list([constant(.text("name"))])])),
                "a path is no text"
            ),
            (
                equal(.object("NSFunctionExpression", ["NSSelectorName": .text("shout:"), "NSArguments": .list([name])])),
                "there is no function shout:"
            ),
        ] as [(Archived, String)]) func predicates(_ predicate: Archived, _ reason: String) throws
    {
        #expect(try Self.warnings(predicate) == ["the condition cannot be read, \(reason); the fetch template is left out"])
    }

    @Test("A predicate that is nested too deep is left out with the reason") func depth() throws {
        var nested = Self.equal(Self.name)
        for _ in 0..<70 {
            nested = .object("NSCompoundPredicate", ["NSCompoundPredicateType": .int(0), "NSSubpredicates": .list([nested])])
        }
        #expect(
            try Self.warnings(nested) == [
                "the condition cannot be read, it is too large, or nested too deep; the fetch template is left out"
            ])
    }
}
