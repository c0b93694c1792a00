import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import Testing

@Suite("Functions")
struct FunctionTests {
    let office: Office

    init() throws {
        office = try Office()
        try office.add(1, ["name": "Ann", "age": 30])
    }

    /// What a function is of some constants, computed once from them and once from values that are not known beforehand.
    func value(_ function: QueryFunction, _ arguments: Value...) throws -> Value {
        let folded = try office.value(.function(function, arguments.map { .constant($0) }), 1)
        let computed = try office.value(
            .function(function, arguments.map { .conditional(.constant(true), .constant($0), .keyPath("name")) }), 1)
        #expect(folded == computed, "\(function) of \(arguments)")
        return folded
    }

    func decimal(_ text: String) throws -> Value { .decimal(try #require(Decimal(string: text))) }
    func date(_ seconds: Double) -> Value { .date(Date(timeIntervalSinceReferenceDate: seconds)) }

    // MARK: - Statistics

    @Test("Statistics are over one list or over all arguments, and pass over nil")
    func statistics() throws {
        let sample: Value = [1, 2, 3, 4, 4, 5, 9, 11]
        #expect(try value(.sum, sample) == 39)
        #expect(try value(.count, sample) == 8)
        #expect(try value(.average, sample) == 4.875)
        #expect(try value(.min, sample) == 1)
        #expect(try value(.max, sample) == 11)
        #expect(try value(.median, sample) == 4.0)
        #expect(try value(.mode, sample) == [4])
        guard case .double(let deviation) = try value(.standardDeviation, sample) else {
            Issue.record("the deviation is no number")
            return
        }
        #expect(abs(deviation - 3.2186) < 0.0001)
        #expect(try value(.sum, 1, .null, 2.5) == 3.5)
        #expect(try value(.count, 1, .null, 2) == 2)
        #expect(try value(.max, 1, .null, 2.5) == 2.5)
        #expect(try value(.average, [1, .null]) == 1.0)
        #expect(try value(.median, [3, .null, 1]) == 2.0)
        #expect(try value(.median, [3, 1, 2]) == 2.0)
        #expect(try value(.mode, [2, 1, 1.0, 2, 3]) == [2, 1])
    }

    @Test("Lists are joined, each element as often as it comes")
    func joined() throws {
        #expect(try value(.joined, [1, 2], [], [2, .null], 3) == [1, 2, 2, .null, 3])
        #expect(try value(.joined) == [])
        #expect(try QueryExpression(format: "joined({1}, age)") == .function(.joined, [.constant([1]), .keyPath("age")]))
    }

    @Test("Of nothing the sum and the count are 0, the modes none, the others nil")
    func statisticsOfNothing() throws {
        for nothing: Value in [[], [.null], .null] {
            #expect(try value(.sum, nothing) == 0)
            #expect(try value(.count, nothing) == 0)
            #expect(try value(.mode, nothing) == [])
            for function in [QueryFunction.min, .max, .average, .median, .standardDeviation] {
                #expect(try value(function, nothing) == .null)
            }
        }
    }

    @Test("Statistics of numbers pass over what is none; the least and the greatest are of any kind that has an order")
    func statisticsOfOtherKinds() throws {
        #expect(try value(.sum, "a", 1) == 1)
        #expect(try value(.average, ["a", 1]) == 1.0)
        #expect(try value(.median, ["a"]) == .null)
        #expect(try value(.max, "a", "b") == "b")
        #expect(try value(.min, date(1), date(2)) == date(1))
        #expect(try value(.sum, true, true, false) == 2)
        #expect(try value(.sum, .int(.max), 1) == 0x1p63)
        #expect(try value(.sum, try decimal("0.1"), try decimal("0.2"), 1) == decimal("1.3"))
        #expect(try value(.average, try decimal("1"), try decimal("2")) == decimal("1.5"))
        #expect(try value(.median, try decimal("1"), try decimal("2")) == decimal("1.5"))
        #expect(try value(.min, .double(.nan), 1) == 1)
        #expect(try value(.max, 1, .double(.nan)) == 1)
        #expect(try value(.max, .double(.nan)) == .double(.nan))
    }

    // MARK: - Text

    @Test("Case, folding, and the length in scalars")
    func text() throws {
        #expect(try value(.uppercase, "straße") == "STRASSE")
        #expect(try value(.lowercase, "ÄB") == "äb")
        #expect(try value(.canonical, "Éa") == "ea")
        #expect(try value(.length, "") == 0)
        #expect(try value(.length, "e\u{301}") == 2)
        #expect(try value(.length, "a\0😀") == 3)
        let page = Value.url(try #require(URL(string: "https://A.b")))
        #expect(try value(.length, page) == 11)
    }

    // MARK: - Others

    @Test("The distance between two places, in metres")
    func distance() throws {
        let (berlin, paris): (Value, Value) = ([52.52, 13.405], [48.8566, 2.3522])
        guard case .double(let metres) = try value(.distance, berlin, paris) else {
            Issue.record("the distance is no number")
            return
        }
        #expect(abs(metres - 877_464) < 500)
        #expect(try value(.distance, berlin, berlin) == 0.0)
        #expect(try value(.distance, berlin, [1]) == .null)
        #expect(try value(.distance, berlin, [.null, 1]) == .null)
        #expect(try value(.distance, berlin, [.double(.nan), 1]) == .null)
    }

    @Test("The elements of a list; hints for an index leave the value as it is")
    func lists() throws {
        #expect(try value(.objectAt, ["a", "b"], 1) == "b")
        #expect(try value(.objectAt, ["a"], 1) == .null)
        #expect(try value(.objectAt, ["a"], -1) == .null)
        #expect(try value(.objectAt, "a", 0) == .null)
        #expect(try value(.noIndex, "a") == "a")
        #expect(try value(.indexedBy, "a", "byName") == "a")
    }

    @Test("Random numbers are within their bounds and differ from row to row; now is one moment")
    func moments() throws {
        let random = RowExpression(.function(.random, []))
        let now = RowExpression(.function(.now, []))
        let below = RowExpression(.function(.randomBelow, [.constant(3)]))
        var (numbers, moments, seen): (Set<Value>, Set<Value>, Set<Value>) = ([], [], [])
        let row = try #require(try office.row(root: try office.person.root, reference: 1))
        for _ in 0..<200 {
            numbers.insert(try random.value(row, office))
            moments.insert(try now.value(row, office))
            seen.insert(try below.value(row, office))
        }
        #expect(numbers.count > 100)
        #expect(moments.count == 1)
        #expect(seen == [0, 1, 2])
        #expect(numbers.allSatisfy { if case .double(let number) = $0 { (0..<1).contains(number) } else { false } })
        #expect(try office.value(.function(.randomBelow, [.constant(0)]), 1) == .null)
        #expect(try office.value(.function(.random, [.constant([])]), 1) == .null)
        #expect(try office.value(.function(.random, [.constant(["a"])]), 1) == "a")
    }

    @Test("A function that the program registered gets values, and objects as references; what it throws is thrown on")
    func custom() throws {
        struct Failure: Error {}
        QueryFunctionTable.register("test.joined:") { values in .string(values.map(\.description).joined(separator: "|")) }
        QueryFunctionTable.register("test.failing:") { _ in throw Failure() }
        #expect(try office.value(.custom(.keyPath("name"), "test.joined:", [.evaluatedObject, .constant(2)]), 1) == "\"Ann\"|1|2")
        #expect(throws: Failure.self) { try office.value(.custom(.keyPath("name"), "test.failing:", []), 1) }
    }

    @Test("A program's function with a name of the language's own is refused, as its printed form means the other")
    func customOfTheLanguagesName() throws {
        // It was called, and encoded and decoded again it was not.
        QueryFunctionTable.register("uppercase:") { _ in "other" }
        for selector in ["uppercase:", "uppercase"] {
            let error = #expect(throws: QueryError.self) { try office.value(.custom(.keyPath("name"), selector, []), 1) }
            #expect(error?.reason == .unknownFunction)
            #expect(error?.subject == selector)
        }
        #expect(try office.value(.function(.uppercase, [.keyPath("name")]), 1) == "ANN")
    }

    @Test("Lists combine as sets, with numbers equal by magnitude")
    func combined() throws {
        func combine(_ operation: QueryExpression.SetOperation, _ a: Value, _ b: Value) throws -> Value {
            try office.value(.combined(operation, .constant(a), .constant(b)), 1)
        }
        #expect(try combine(.union, [1, 2, 1.0], [2.0, 3, .null]) == [1, 2, 3, .null])
        #expect(try combine(.intersect, [1, 2, "a"], [2.0, "a"]) == [2, "a"])
        #expect(try combine(.minus, [1, 2, "a", .double(.nan)], [2.0, "b"]) == [1, "a", .double(.nan)])
        #expect(try combine(.union, .null, [1]) == .null)
        #expect(try combine(.minus, 1, [1]) == .null)
    }

    @Test("Columns of a tuple take the place of rows; there is nothing beside them")
    func tuples() throws {
        let sum = ResolvedExpression.function(.add, [.column(0), .column(1)])
        #expect(try RowExpression(sum).value(tuple: [1, 2]) == 3)
        #expect(try RowExpression(sum).value(tuple: [1]) == .null)
        let test = RowPredicate(.test(ResolvedTest(.column(0), .greater, .constant(1))))
        #expect(try test.passes(tuple: [2]))
        #expect(try !test.passes(tuple: [1]))
        #expect(try !test.passes(tuple: []))
        let path = try PropertyPath("boss.name", of: try office.person, in: office.model)
        let mixed = RowPredicate(.test(ResolvedTest(.path(path), .equal, .column(0))))
        #expect(try mixed.passes(tuple: [.null]))
        #expect(try !mixed.passes(tuple: ["Ann"]))
        #expect(try !RowPredicate(.test(ResolvedTest(.path(path), .equal, .constant(.null)))).passes(tuple: []))
        #expect(try RowPredicate(.constant(true)).passes(tuple: []))
    }
}
