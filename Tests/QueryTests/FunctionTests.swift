import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import Testing

@Suite("Functions")
struct FunctionTests {
    private let office: Office

    init() throws {
        office = try Office()
        try office.add(1, ["name": "Ann", "age": 30])
    }

    /// What a function is of some constants, computed once from them and once from values that are not known beforehand.
    private func value(_ function: QueryFunction, _ arguments: Value...) throws -> Value {
        let folded = try office.value(.function(function, arguments.map { .constant($0) }), 1)
        let computed = try office.value(
            .function(function, arguments.map { .conditional(.constant(true), .constant($0), .keyPath("name")) }), 1)
        #expect(folded == computed, "\(function) of \(arguments)")
        return folded
    }

    private func decimal(_ text: String) throws -> Value { .decimal(try #require(Decimal(string: text))) }
    private func date(_ seconds: Double) -> Value { .date(Date(timeIntervalSinceReferenceDate: seconds)) }

    // MARK: - Statistics

    @Test("Statistics are over one list or over all arguments, and pass over nil")
    func statistics() throws {
        let sample: Value = [1, 2, 3, 4, 4, 5, 9, 11]
        #expect(try value(.sum, sample) == 39 && value(.count, sample) == 8 && value(.average, sample) == 4.875)
        #expect(try value(.min, sample) == 1 && value(.max, sample) == 11 && value(.median, sample) == 4.0)
        #expect(try value(.mode, sample) == [4])
        guard case .double(let deviation) = try value(.standardDeviation, sample) else {
            Issue.record("the deviation is no number")
            return
        }
        #expect(abs(deviation - 3.2186) < 0.0001)
        #expect(try value(.sum, 1, .null, 2.5) == 3.5 && value(.count, 1, .null, 2) == 2 && value(.max, 1, .null, 2.5) == 2.5)
        #expect(try value(.average, [1, .null]) == 1.0 && value(.median, [3, .null, 1]) == 2.0 && value(.median, [3, 1, 2]) == 2.0)
        #expect(try value(.mode, [2, 1, 1.0, 2, 3]) == [2, 1])
    }

    @Test("Lists are joined, each element as often as it comes")
    func joined() throws {
        #expect(try value(.joined, [1, 2], [], [2, .null], 3) == [1, 2, 2, .null, 3] && value(.joined) == [])
        #expect(try QueryExpression(format: "joined({1}, age)") == .function(.joined, [.constant([1]), .keyPath("age")]))
    }

    @Test("Of nothing the sum and the count are 0, the modes none, the others nil")
    func statisticsOfNothing() throws {
        for nothing: Value in [[], [.null], .null] {
            #expect(try value(.sum, nothing) == 0 && value(.count, nothing) == 0 && value(.mode, nothing) == [])
            for function in [QueryFunction.min, .max, .average, .median, .standardDeviation] {
                #expect(try value(function, nothing) == .null)
            }
        }
    }

    @Test("Statistics of numbers pass over what is none; the least and the greatest are of any kind that has an order")
    func statisticsOfOtherKinds() throws {
        #expect(try value(.sum, "a", 1) == 1 && value(.average, ["a", 1]) == 1.0 && value(.median, ["a"]) == .null)
        #expect(try value(.max, "a", "b") == "b" && value(.min, date(1), date(2)) == date(1))
        #expect(try value(.sum, true, true, false) == 2)
        #expect(try value(.sum, .int(.max), 1) == 0x1p63)
        #expect(try value(.sum, try decimal("0.1"), try decimal("0.2"), 1) == decimal("1.3"))
        #expect(try value(.average, try decimal("1"), try decimal("2")) == decimal("1.5"))
        #expect(try value(.median, try decimal("1"), try decimal("2")) == decimal("1.5"))
        #expect(try value(.min, .double(.nan), 1) == 1 && value(.max, 1, .double(.nan)) == 1)
        #expect(try value(.max, .double(.nan)) == .double(.nan))
    }

    // MARK: - Arithmetic

    @Test("Integers stay integers, until they overflow")
    func integers() throws {
        #expect(try value(.add, 2, 3) == 5 && value(.subtract, 2, 3) == -1 && value(.multiply, 2, 3) == 6)
        #expect(try value(.divide, 7, 2) == 3 && value(.divide, -7, 2) == -3)
        #expect(try value(.modulus, 7, 3) == 1 && value(.modulus, -7, 3) == -1 && value(.modulus, 7, -3) == 1)
        #expect(try value(.add, .int(.max), 1) == 0x1p63 && value(.subtract, .int(.min), 1) == .double(-0x1p63))
        #expect(try value(.multiply, .int(.max), 2) == .double(0x1p64) && value(.divide, .int(.min), -1) == 0x1p63)
        #expect(try value(.modulus, .int(.min), -1) == 0)
        #expect(try value(.negate, .int(.min)) == 0x1p63 && value(.abs, .int(.min)) == 0x1p63 && value(.abs, -5) == 5)
        #expect(try value(.add, true, 1) == 2)
    }

    @Test("With a floating-point number the result is one, with a decimal a decimal")
    func kinds() throws {
        #expect(try value(.add, 1, 0.5) == 1.5 && value(.divide, 7.0, 2) == 3.5 && value(.modulus, 7.5, 2) == 1.5)
        #expect(try value(.add, try decimal("0.1"), try decimal("0.2")) == decimal("0.3"))
        #expect(try value(.multiply, 3, try decimal("0.5")) == decimal("1.5") && value(.divide, try decimal("1"), 4) == decimal("0.25"))
        #expect(try value(.add, try decimal("0.5"), 0.25) == 0.75)
        #expect(try value(.modulus, try decimal("-7.5"), 2) == decimal("-1.5"))
        #expect(try value(.negate, try decimal("2.5")) == decimal("-2.5") && value(.abs, try decimal("-2.5")) == decimal("2.5"))
    }

    @Test("Beyond what a decimal holds, the result is a floating-point number")
    func decimalOverflow() throws {
        let great = Value.decimal(.greatestFiniteMagnitude)
        guard case .double(let product) = try value(.multiply, great, great), case .double(let power) = try value(.raise, great, 2) else {
            Issue.record("a product is no floating-point number")
            return
        }
        #expect(product > 1e300 && power > 1e300)
        #expect(try value(.add, .decimal(.nan), 1) == .decimal(.nan))
    }

    @Test("What has no result is nil: a division by zero, a root of a negative number, a logarithm of zero")
    func undefined() throws {
        for zero: Value in [0, 0.0, .decimal(0), false] {
            #expect(try value(.divide, 1, zero) == .null && value(.modulus, 1.5, zero) == .null)
        }
        #expect(try value(.squareRoot, -1) == .null && value(.log, 0) == .null && value(.ln, -1.0) == .null)
        #expect(try value(.subtract, .double(.infinity), .double(.infinity)) == .null)
        #expect(try value(.raise, 0, -1) == .null && value(.raise, -1, 0.5) == .null)
        #expect(try value(.squareRoot, .double(.nan)) == .double(.nan) && value(.add, .double(.nan), 1) == .double(.nan))
    }

    @Test("Powers, roots and logarithms")
    func powers() throws {
        #expect(try value(.raise, 2, 10) == 1024 && value(.raise, 0, 0) == 1 && value(.raise, 2, -1) == 0.5)
        #expect(try value(.raise, -3, 3) == -27 && value(.raise, 2, 63) == 0x1p63 && value(.raise, -2, 63) == .int(.min))
        #expect(try value(.raise, 2, .int(.max)) == .double(.infinity) && value(.raise, 1, .int(.max)) == 1)
        #expect(try value(.raise, 2.0, 0) == 1.0 && value(.raise, 4, 0.5) == 2.0)
        #expect(try value(.raise, try decimal("1.5"), 2) == decimal("2.25"))
        #expect(try value(.squareRoot, 9) == 3.0 && value(.log, 1000) == 3.0 && value(.ln, 1) == 0.0 && value(.exp, 0) == 1.0)
        #expect(try value(.exp, 1e9) == .double(.infinity))
    }

    @Test("Rounding stays within the kind")
    func rounding() throws {
        #expect(try value(.floor, -1.5) == -2.0 && value(.ceiling, -1.5) == -1.0 && value(.trunc, -1.5) == -1.0)
        #expect(try value(.floor, 7) == 7 && value(.ceiling, .int(.min)) == .int(.min))
        #expect(try value(.floor, .double(.infinity)) == .double(.infinity) && value(.trunc, .double(.nan)) == .double(.nan))
        #expect(try value(.floor, try decimal("-1.5")) == decimal("-2") && value(.floor, try decimal("1.5")) == decimal("1"))
        #expect(try value(.ceiling, try decimal("1.2")) == decimal("2") && value(.ceiling, try decimal("-1.2")) == decimal("-1"))
        #expect(try value(.ceiling, try decimal("-0.2")) == decimal("0") && value(.trunc, try decimal("-1.9")) == decimal("-1"))
        #expect(try value(.floor, try decimal("3")) == decimal("3") && value(.floor, .decimal(.nan)) == .decimal(.nan))
    }

    @Test("Dates take seconds, and the time between two of them is seconds")
    func dates() throws {
        #expect(try value(.subtract, date(30), date(10)) == 20.0 && value(.subtract, date(30), 10) == date(20))
        #expect(try value(.add, date(30), 1.5) == date(31.5) && value(.add, 2, date(30)) == date(32))
        #expect(
            try value(.add, date(1), date(2)) == .null && value(.subtract, 1, date(2)) == .null && value(.multiply, date(1), 2) == .null)
    }

    @Test("Nil in, nil out; what a function is not for gives nil")
    func wrongKinds() throws {
        let notNumbers: [Value] = [.null, "a", .data(Data([1])), .uuid(UUID()), [1]]
        for value in notNumbers {
            for function in QueryFunction.allCases where function.argumentCount == 1 && function != .noIndex {
                if value == "a", [.uppercase, .lowercase, .canonical, .length, .characterCount].contains(function) { continue }
                if [.count, .sum, .min, .max, .average, .median, .mode, .standardDeviation, .joined].contains(function) { continue }
                #expect(try self.value(function, value) == .null, "\(function) of \(value)")
            }
            for function in QueryFunction.allCases where function.argumentCount == 2 && ![.cast, .indexedBy, .objectAt].contains(function) {
                #expect(try self.value(function, value, 1) == .null, "\(function) of \(value)")
                #expect(try self.value(function, 1, value) == .null, "\(function) of \(value)")
            }
        }
    }

    @Test("No function traps on the ends of the numbers")
    func extremes() throws {
        let ends: [Value] = [
            .int(.min), .int(.max), -1, 0, 1, 64, .double(.nan), .double(.infinity), .double(-.infinity), 1e300,
            .double(.leastNonzeroMagnitude),
            .decimal(.greatestFiniteMagnitude), .decimal(.leastNormalMagnitude), .decimal(.nan), date(.infinity), date(.nan), "", [], .null,
        ]
        var computed = 0
        for function in QueryFunction.allCases {
            for a in ends {
                if function.argumentCount == 1 || function.argumentCount == nil {
                    _ = try office.value(.function(function, [.constant(a)]), 1)
                    computed += 1
                }
                guard function.argumentCount == 2 || function.argumentCount == nil else { continue }
                for b in ends {
                    _ = try office.value(.function(function, [.constant(a), .constant(b)]), 1)
                    computed += 1
                }
            }
        }
        #expect(computed > 5000)
    }

    // MARK: - Bits

    @Test("Bits of integers; shifts are defined for every count")
    func bits() throws {
        #expect(try value(.bitwiseAnd, 6, 3) == 2 && value(.bitwiseOr, 6, 3) == 7 && value(.bitwiseXor, 6, 3) == 5)
        #expect(try value(.onesComplement, 0) == -1 && value(.bitwiseAnd, 6.0, 3) == 2 && value(.bitwiseAnd, 6.5, 3) == .null)
        #expect(try value(.leftShift, 1, 4) == 16 && value(.leftShift, 1, 63) == .int(.min) && value(.leftShift, 1, 64) == 0)
        #expect(try value(.rightShift, 16, 4) == 1 && value(.rightShift, -1, 64) == -1 && value(.rightShift, 1, .int(.max)) == 0)
        #expect(try value(.leftShift, 16, -4) == 1 && value(.rightShift, 1, -4) == 16 && value(.leftShift, -1, .int(.min)) == -1)
    }

    // MARK: - Text

    @Test("Case, folding, and the length in scalars")
    func text() throws {
        #expect(try value(.uppercase, "straße") == "STRASSE" && value(.lowercase, "ÄB") == "äb")
        #expect(try value(.canonical, "Éa") == "ea")
        #expect(try value(.length, "") == 0 && value(.length, "e\u{301}") == 2 && value(.length, "a\0😀") == 3)
        let page = Value.url(try #require(URL(string: "https://A.b")))
        #expect(try value(.length, page) == 11)
    }

    // MARK: - Casts

    @Test("CAST to numbers")
    func castToNumbers() throws {
        #expect(
            try value(.cast, "12", "NSNumber") == 12 && value(.cast, "1.5", "NSNumber") == 1.5 && value(.cast, "x", "NSNumber") == .null)
        #expect(try value(.cast, 1.9, "integer64") == 1 && value(.cast, -1.9, "NSInteger") == -1 && value(.cast, 1e30, "Int64") == .null)
        #expect(try value(.cast, 40_000, "integer16") == .null && value(.cast, 40_000, "integer32") == 40_000)
        #expect(try value(.cast, 1, "double") == 1.0 && value(.cast, 0.1, "float") == .double(Double(Float(0.1))))
        #expect(try value(.cast, "0.10", "NSDecimalNumber") == decimal("0.1") && value(.cast, "1x", "decimal") == .null)
        #expect(try value(.cast, 0.1, "NSDecimalNumber") == decimal("0.1") && value(.cast, .double(.nan), "decimal") == .null)
        #expect(try value(.cast, date(1.5), "NSNumber") == 1.5 && value(.cast, true, "NSNumber") == 1)
        #expect(try value(.cast, 2, "boolean") == true && value(.cast, "NO", "Bool") == false && value(.cast, "maybe", "Bool") == .null)
    }

    @Test("CAST to text, dates, data, UUIDs and URLs")
    func castToOthers() throws {
        let uuid = UUID()
        #expect(try value(.cast, 12, "NSString") == "12" && value(.cast, 1.5, "string") == "1.5" && value(.cast, true, "NSString") == "1")
        #expect(
            try value(.cast, try decimal("1.50"), "NSString") == "1.5" && value(.cast, .uuid(uuid), "NSString") == .string(uuid.uuidString))
        #expect(
            try value(.cast, 10, "NSDate") == date(10) && value(.cast, "10.5", "date") == date(10.5) && value(.cast, "x", "NSDate") == .null
        )
        #expect(try value(.cast, .string(uuid.uuidString), "NSUUID") == .uuid(uuid) && value(.cast, "x", "uuid") == .null)
        #expect(try value(.cast, "AQI=", "NSData") == .data(Data([1, 2])) && value(.cast, "?", "binary") == .null)
        let page = try #require(URL(string: "https://a.b"))
        #expect(try value(.cast, "https://a.b", "NSURL") == .url(page) && value(.cast, .url(page), "NSString") == "https://a.b")
        #expect(try value(.cast, 1, "NSFruit") == .null && value(.cast, 1, .null) == .null && value(.cast, .null, "NSDate") == .null)
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
        #expect(try value(.distance, berlin, berlin) == 0.0 && value(.distance, berlin, [1]) == .null)
        #expect(try value(.distance, berlin, [.null, 1]) == .null && value(.distance, berlin, [.double(.nan), 1]) == .null)
    }

    @Test("The elements of a list; hints for an index leave the value as it is")
    func lists() throws {
        #expect(try value(.objectAt, ["a", "b"], 1) == "b" && value(.objectAt, ["a"], 1) == .null && value(.objectAt, ["a"], -1) == .null)
        #expect(try value(.objectAt, "a", 0) == .null && value(.noIndex, "a") == "a" && value(.indexedBy, "a", "byName") == "a")
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
        #expect(numbers.count > 100 && moments.count == 1 && seen == [0, 1, 2])
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
            #expect(error?.reason == .unknownFunction && error?.subject == selector)
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
        #expect(try combine(.union, .null, [1]) == .null && combine(.minus, 1, [1]) == .null)
    }

    @Test("Columns of a tuple take the place of rows; there is nothing beside them")
    func tuples() throws {
        let sum = ResolvedExpression.function(.add, [.column(0), .column(1)])
        #expect(try RowExpression(sum).value(tuple: [1, 2]) == 3 && RowExpression(sum).value(tuple: [1]) == .null)
        let test = RowPredicate(.test(ResolvedTest(.column(0), .greater, .constant(1))))
        #expect(try test.passes(tuple: [2]) && !test.passes(tuple: [1]) && !test.passes(tuple: []))
        let path = try PropertyPath("boss.name", of: try office.person, in: office.model)
        let mixed = RowPredicate(.test(ResolvedTest(.path(path), .equal, .column(0))))
        #expect(try mixed.passes(tuple: [.null]) && !mixed.passes(tuple: ["Ann"]))
        #expect(try !RowPredicate(.test(ResolvedTest(.path(path), .equal, .constant(.null)))).passes(tuple: []))
        #expect(try RowPredicate(.constant(true)).passes(tuple: []))
    }
}
