import FoundationEssentials
import Strata
import Testing

/// Each message of a `#Predicate` that no query can say.
@Suite("Messages of #Predicate")
struct PredicateMacroMessageTests {
    struct Refused: Sendable, CustomTestStringConvertible {
        let message: String
        let translate: @Sendable () throws -> QueryPredicate
        var testDescription: String { message }

        init(_ message: String, _ translate: @escaping @Sendable () throws -> QueryPredicate) {
            self.message = message
            self.translate = translate
        }
    }

    /// A value of a type that no store knows.
    struct Point: Codable, Hashable, Sendable { let x: Int }

    /// A condition of a program's own.
    private struct Custom: StandardPredicateExpression {
        func evaluate(_ bindings: PredicateBindings) throws -> Bool { throw CancellationError() }
    }

    /// A range of a program's own, as a value that a store knows.
    struct Decade: RangeExpression, RawRepresentable, Codable, Sendable {
        let rawValue: Int
        func relative<C: Collection>(to collection: C) -> Range<C.Index> where C.Index == Int { rawValue..<(rawValue + 10) }
        func contains(_ element: Int) -> Bool { (rawValue..<(rawValue + 10)).contains(element) }
    }

    /// A regular expression that is computed.
    private struct Pattern: StandardPredicateExpression {
        func evaluate(_ bindings: PredicateBindings) throws -> PredicateExpressions.PredicateRegex { throw CancellationError() }
    }

    @Test(
        "A part that no query can say is refused with its kind and the reason",
        arguments: [
            Refused(
                "TypeCheck: types do not determine whether a Employee is a Manager: use is and pass the model, or fetch the entity of Manager"
            ) {
                try QueryPredicate(#Predicate<Employee> { $0 is Manager })
            },
            Refused("DictionaryKeySubscript: no query looks into a dictionary") {
                let table = ["a": 1]
                return try QueryPredicate(#Predicate<Employee> { table[$0.name] == 1 })
            },
            Refused("SequenceMaximum: the greatest element of String is no value that a query computes") {
                try QueryPredicate(#Predicate<Employee> { $0.name.max() == nil })
            },
            Refused("SequenceMinimum: the least element of String is no value that a query computes") {
                try QueryPredicate(#Predicate<Employee> { $0.name.min() == nil })
            },
            Refused("SequenceContainsWhere: Character is not the destination of a relationship") {
                try QueryPredicate(#Predicate<Employee> { $0.name.contains { $0 == $0 } })
            },
            Refused("SequenceStartsWith: Data is no text") {
                let bytes: [UInt8] = [1]
                return try QueryPredicate(#Predicate<Employee> { $0.photo!.starts(with: bytes) })
            },
            Refused("SequenceContains: Data is neither text nor the destinations of a relationship") {
                let byte: UInt8 = 1
                return try QueryPredicate(#Predicate<Employee> { $0.photo!.contains(byte) })
            },
            Refused("CollectionRangeSubscript: no query takes a part of a collection or of text") {
                try QueryPredicate(#Predicate<Company> { $0.projects[0..<$0.projects.count].isEmpty })
            },
            Refused("CollectionIndexSubscript: Data has no elements that a query could count off") {
                try QueryPredicate(#Predicate<Employee> { $0.photo![0] == 1 })
            },
            Refused("KeyPath: URL has no property that a query knows, of type String") {
                try QueryPredicate(#Predicate<Employee> { $0.page!.absoluteString == "x" })
            },
            Refused("Value: Array<Point> is no type that a property can have") {
                let points = [Point(x: 1)]
                return try QueryPredicate(#Predicate<Employee> { employee in points.contains { $0.x == employee.age } })
            },
            Refused("Equal: no query compares ranges") { try QueryPredicate(#Predicate<Employee> { (1..<$0.age) == (1..<5) }) },
            Refused("Range: a range is no single value") {
                try QueryPredicate(#Predicate<Employee> { ($0.isActive ? 1..<$0.age : 2..<$0.age).contains(3) })
            },
            Refused("Custom: no query says this") { try QueryPredicate(Predicate<Employee> { _ in Custom() }) },
            Refused("RangeExpressionContains: the range is of a kind that no query knows") {
                let decade = Decade(rawValue: 30)
                return try QueryPredicate(
                    Predicate<Employee> { employee in
                        PredicateExpressions.build_contains(
                            PredicateExpressions.build_Arg(decade), PredicateExpressions.build_KeyPath(root: employee, keyPath: \.age))
                    })
            },
            Refused("StringContainsRegex: the regular expression is not a literal") {
                try QueryPredicate(
                    Predicate<Employee> { employee in
                        PredicateExpressions.StringContainsRegex(
                            subject: PredicateExpressions.build_KeyPath(root: employee, keyPath: \.name), regex: Pattern())
                    })
            },
            Refused("ExpressionEvaluate: the expression is not a constant") {
                try QueryPredicate(
                    Predicate<Employee> { employee in
                        PredicateExpressions.build_evaluate(
                            PredicateExpressions.build_KeyPath(root: employee, keyPath: \.rule),
                            PredicateExpressions.build_KeyPath(root: employee, keyPath: \.age))
                    })
            },
            Refused("Variable: the variable is not bound") {
                let other = PredicateExpressions.Variable<Employee>()
                return try QueryPredicate(
                    Predicate<Employee> { _ in
                        PredicateExpressions.build_Equal(
                            lhs: PredicateExpressions.build_KeyPath(root: other, keyPath: \.age), rhs: PredicateExpressions.build_Arg(3))
                    })
            },
        ])
    func untranslatable(_ refused: Refused) throws {
        let error = #expect(throws: QueryError.self) { _ = try refused.translate() }
        #expect(error?.message == refused.message)
    }

    @Test(
        "A computed property is refused with what it is computed from",
        arguments: [
            Refused("of type Bool, it references no stored property of Employee: it is computed, from age") {
                try QueryPredicate(#Predicate<Employee> { $0.isAdult })
            },
            Refused("of type Optional<String>, it references no stored property of Employee: it is computed, from nick and more") {
                try QueryPredicate(#Predicate<Employee> { $0.shownName == nil })
            },
        ])
    func computed(_ refused: Refused) throws {
        let error = #expect(throws: QueryError.self) { _ = try refused.translate() }
        #expect(error?.message == refused.message)
    }
}

extension Employee {
    fileprivate var rule: Expression<Int, Bool> { #Expression { $0 > 17 } }
}
