import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import Testing

extension HighTreeTests {
    @Test("Mixed chains are computed from the left, with the overflow, the nil and the kinds of each step")
    func mixed() throws {
        let office = try Office()
        try office.add(1, ["age": 7])
        func value(_ format: String) throws -> Value { try office.value(QueryExpression(format: format), 1) }
        #expect(try value("age - 5 + 2 - 3") == 1)
        #expect(try value("age * 3 / 2 * 2 %% 7") == 6)
        #expect(try value("age %% 4 * 5 %% 4") == 3)
        // The negation of the least integer would not be an integer.
        #expect(try value("0 - 5 - -9223372036854775808 + 0 * age") == .int(.max - 4))
        #expect(try value("9223372036854775807 + 1 - 1 + 0 * age") == .double(0x1p63))
        #expect(try value("9223372036854775807 - 1 + 1 + 0 * age") == .int(.max))
        #expect(try value("age / 2 * 2.0") == 6.0)
        #expect(try value("age * 2.0 / 4 - 1") == 2.5)
        #expect(try value("age / 0 * 2 / 2") == .null)
        #expect(try value("nil + age - age") == .null)
        #expect(try value("CAST(100, 'NSDate') + age - CAST(50, 'NSDate') + 1") == 58.0)
        #expect(try value("CAST('0.1', 'NSDecimalNumber') + age - CAST('0.3', 'NSDecimalNumber')") == .decimal(Decimal(68) / 10))
    }

    @Test("A mixed chain is resolved as what was written, and nothing else is taken for one")
    func marks() throws {
        let office = try Office()
        let (age, one) = (QueryExpression.keyPath("age"), QueryExpression.constant(1))
        let chain = try QueryExpression(format: "age + 1 - age * 2 / age")
        #expect(try chain.resolved(for: office.person, in: office.model).description == "(age + 1 - (age * 2 / age))")
        #expect(try QueryExpression(format: "1 + 2 - 3 * 2 / 3").resolved(for: office.person, in: office.model).constant == 1)
        let mark = QueryExpression.function(.subtract, [one])
        for tree in [mark, .function(.add, [age, mark]), .function(.add, [age, mark, mark]), .function(.multiply, [age, one, mark])] {
            #expect(throws: QueryError.self) { try office.resolve(tree) }
        }
        #expect(QueryExpression.chain(.function(.add, [age, one, mark]), .add, one) == .function(.add, [age, one, mark, one]))
    }

    @Test("Chains are taken from the left, and keep the parentheses that say otherwise")
    func order() throws {
        let office = try Office()
        try office.add(1, ["age": 7])
        func value(_ format: String) throws -> Value { try office.value(QueryExpression(format: format), 1) }
        #expect(try value("age - 1 - 2") == 4)
        #expect(try value("age - (1 - 2)") == 8)
        #expect(try value("(age - 1) - 2") == 4)
        #expect(try value("age / 2 / 3.0 * 2") == 2.0)
        #expect(try value("age - 1 + 2 - 3 + 4") == 9)
        for text in [
            "a + b - c + d", "(a + b) - c", "a + (b - c) - d", "a * b / c %% d", "(a / b) * c", "(a + b - c) * d", "a ** b * c / d",
            "a %% b %% c", "(a - b) - c", "a - (b - c)", "a - b + c", "(a + b) * c * d", "(a * b) * c", "a + b * c * d + e", "-(a + b + c)",
        ] {
            let expression = try QueryExpression(format: text)
            #expect(expression.description == text)
            #expect(try QueryExpression(format: expression.description) == expression)
        }
        let age = Key<Int>("age")
        #expect(try (age - age - 1).expression == QueryExpression(format: "age - age - 1"))
        #expect(try (age - (age - 1)).expression == QueryExpression(format: "age - (age - 1)"))
        #expect(try (age - age + 1 - age).expression == QueryExpression(format: "age - age + 1 - age"))
        #expect(try (age * 2 / age % 3).expression == QueryExpression(format: "age * 2 / age %% 3"))
    }
}
