import FoundationEssentials
import Strata

/// Every operator over every kind of value, and what nil means.
enum ComparisonCases {
    /// Checks all comparisons with the middle one of three ascending values, which item 3, without a value, is not part
    /// of.
    private static func ordered<V: ValueConvertible & Sendable>(_ name: String, _ key: Key<V>, _ values: [V]) -> ConformanceCase {
        ConformanceCase("The six comparisons and BETWEEN hold for \(name)", in: .queries) { environment in
            let data = try QueryData.of(environment, key, values + [nil, values[1]])
            let (low, middle, high) = (values[0].value, values[1].value, values[2].value)
            let path = key.expression
            try data.expect(path == middle, [1, 4])
            try data.expect(path != middle, [0, 2, 3])
            try data.expect(path < middle, [0])
            try data.expect(path <= middle, [0, 1, 4])
            try data.expect(path > middle, [2])
            try data.expect(path >= middle, [1, 2, 4])
            try data.expect(path.between(low, middle), [0, 1, 4])
            try data.expect(path.between(high, low), [])
            try data.expect(path.isIn([low, high]), [0, 2])
            try data.expect(!(path < middle), [1, 2, 3, 4])
            try data.expect(!path.between(low, middle), [2, 3])
            try data.expect(.comparison(.init(.constant(middle), .less, path)), [2])
            try data.expect(.comparison(.init(.constant(middle), .greaterOrEqual, path)), [0, 1, 4])
        }
    }

    private static let days = [-1.5, 0, 1e9].map { Date(timeIntervalSinceReferenceDate: $0) }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ordered("16-bit integers", Item.i16, [.min, -1, .max])
        ordered("32-bit integers", Item.i32, [.min, 0, .max])
        ordered("64-bit integers", Item.i64, [.min, 1 << 53, (1 << 53) + 1])
        ordered("doubles", Item.double, [-.infinity, 0.1, 0.2])
        ordered("floats", Item.float, [-1.5, 0.1, .infinity])
        ordered("decimal numbers", Item.decimal, ["-0.1", "0.1", "0.10000000000000000001"].compactMap { Decimal(string: $0) })
        ordered("text", Item.text, ["", "Z", "a"])
        ordered("dates", Item.date, days)
        ConformanceCase("A number that a floating-point attribute cannot hold is not rounded for it", in: .queries) { environment in
            // 1e300 was infinity to a float, 1e-50 zero, and 2⁶³ - 1 was 2⁶³ to either.
            let floats = try QueryData.of(environment, Item.float, [-.infinity, 0, 0.1, 16_777_216, 0x1p63, .infinity, .nan, nil])
            let float = Item.float.expression
            try floats.expect(float == 1e300, [])
            try floats.expect(float != 1e300, [0, 1, 2, 3, 4, 5, 6, 7])
            try floats.expect(float < 1e300, [0, 1, 2, 3, 4])
            try floats.expect(float.isIn([1e300, -1e300, 1e-50, 16_777_217]), [])
            try floats.expect(float.isIn([0.1, .null, 16_777_217]), [2, 7])
            try floats.expect(float.between(-1e300, 1e300), [1, 2, 3, 4])
            try floats.expect(float == 1e-50, [])
            try floats.expect(float != 1e-50, [0, 1, 2, 3, 4, 5, 6, 7])
            try floats.expect(float > 1e-50, [2, 3, 4, 5])
            try floats.expect(float == 0.1, [2])
            try floats.expect(float == .decimal(Decimal(1) / 10), [2])
            try floats.expect(float == 16_777_217, [])
            try floats.expect(float < 16_777_217, [0, 1, 2, 3])
            try floats.expect(float >= 16_777_217, [4, 5])
            try floats.expect(float == .int(.max), [])
            try floats.expect(float > .int(.max), [4, 5])
            try floats.expect(.comparison(.init(.constant(.int(.max)), .less, float)), [4, 5])
            try floats.expect(float == .double(.infinity), [5])

            let limit: Int64 = 1 << 53
            let doubles = try QueryData(ConformanceEnvironment.inside(environment, "doubles")) {
                Item.insert([-0x1p63, Double(limit), Double(limit + 2), 0x1p63, .infinity, .nan, nil], of: Item.double, into: $0)
            }
            let double = Item.double.expression
            for (number, below) in [(limit + 1, 1), (limit + 3, 2), (.max, 2), (1 - .max, 0)] {
                let (low, high) = (Array(0...below), Array((below + 1)...4))
                try doubles.expect(double == .int(number), [])
                try doubles.expect(double != .int(number), [0, 1, 2, 3, 4, 5, 6])
                try doubles.expect(!(double != .int(number)), [])
                try doubles.expect(double < .int(number), low)
                try doubles.expect(double <= .int(number), low)
                try doubles.expect(double > .int(number), high)
                try doubles.expect(double >= .int(number), high)
                try doubles.expect(!(double >= .int(number)), low + [5, 6])
                try doubles.expect(double.isIn([.int(number)]), [])
                try doubles.expect(!double.isIn([.int(number)]), [0, 1, 2, 3, 4, 5, 6])
                try doubles.expect(double.isIn([.int(number), .int(limit), .null]), [1, 6])
                try doubles.expect(double.between(.int(number), .double(.infinity)), high)
                try doubles.expect(double.between(.double(-.infinity), .int(number)), low)
                try doubles.expect(double.between(.int(number), .int(number)), [])
                try doubles.expect(.comparison(.init(.constant(.int(number)), .greater, double)), low)
            }
            try doubles.expect(double == .int(limit + 2), [2])
            try doubles.expect(double == .int(.min), [0])
            try doubles.expect(double == .decimal(Decimal(limit + 2)), [2])
            try doubles.expect(double == .decimal(Decimal(limit + 1)), [])
            try doubles.expect(double < .decimal(Decimal(limit + 1) + Decimal(1) / 2), [0, 1])
            try doubles.expect(double == .decimal(.nan), [])
        }
        ConformanceCase("A number without a decimal value is ordered among those with one", in: .queries) { environment in
            // Minus infinity was zero to a decimal.
            let data = try QueryData.of(environment, Item.decimal, [-1, 0, 1, .nan, nil])
            let path = Item.decimal.expression
            for infinity in [-Double.infinity, .infinity] {
                try data.expect(path == .double(infinity), [])
                try data.expect(path != .double(infinity), [0, 1, 2, 3, 4])
                try data.expect(path.isIn([.double(infinity), 1]), [2])
                try data.expect(path < .double(infinity), infinity > 0 ? [0, 1, 2] : [])
                try data.expect(path >= .double(infinity), infinity > 0 ? [] : [0, 1, 2])
                try data.expect(path.between(.double(-infinity), .double(infinity)), infinity > 0 ? [0, 1, 2] : [])
            }
            try data.expect(path == 1e-300, [])
            try data.expect(path < 1e-300, [0, 1])
            try data.expect(path > 1e300, [])
        }
        ConformanceCase("Truth values count as 1 and 0 wherever a number is kept", in: .queries) { environment in
            // To integers they did; a comparison of any other number with one was an error.
            func check<V: ValueConvertible & ExpressibleByIntegerLiteral & Sendable>(_ key: Key<V>) throws {
                let data = try QueryData(ConformanceEnvironment.inside(environment, key.path)) {
                    Item.insert([0, 1, 2, nil], of: key, into: $0)
                }
                let path = key.expression
                try data.expect(path == true, [1])
                try data.expect(path != true, [0, 2, 3])
                try data.expect(path > false, [1, 2])
                try data.expect(path <= true, [0, 1])
                try data.expect(path.isIn([false, .null]), [0, 3])
                try data.expect(path.between(false, true), [0, 1])
                try data.expect(.comparison(.init(.constant(true), .less, path)), [2])
            }
            try check(Item.i16)
            try check(Item.i64)
            try check(Item.double)
            try check(Item.float)
            try check(Item.decimal)
        }
        ConformanceCase("Truth values, bytes, UUIDs and URLs are equal or not", in: .queries) { environment in
            let id = UUID()
            try QueryData.of(environment, Item.flag, [true, false, nil]).expect(Item.flag == true, [0])
            let others = try QueryData(ConformanceEnvironment.inside(environment, "others")) { context in
                Item(context: context)[Item.number] = 0
                let item = Item(context: context)
                item[Item.number] = 1
                item[Item.flag] = false
                item[Item.data] = Data([0, 1])
                item[Item.uuid] = id
                item[Item.url] = URL(string: "https://example.org/?q='%25'")
            }
            try others.expect(Item.flag == false, [1])
            try others.expect(Item.flag != true, [0, 1])
            try others.expect(Item.data == Data([0, 1]), [1])
            try others.expect(Item.data != Data([0]), [0, 1])
            try others.expect(Item.uuid == id, [1])
            try others.expect(Item.uuid.isIn([UUID(), id]), [1])
            try others.expect(Item.uuid == nil, [0])
            try others.expect(Item.url == URL(string: "https://example.org/?q='%25'"), [1])
            try others.expect(key("uuid") == .string(id.uuidString), [1])
        }
        ConformanceCase("nil equals nil, differs from all else, and neither precedes nor follows", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.i64, [5, nil, 7, nil])
            let path = Item.i64.expression
            try data.expect(path == .null, [1, 3])
            try data.expect(path != .null, [0, 2])
            try data.expect(path != 5, [1, 2, 3])
            try data.expect(path < 100, [0, 2])
            try data.expect(path < .null, [])
            try data.expect(path >= .null, [])
            try data.expect(path.isIn([.null, 5]), [0, 1, 3])
            try data.expect(path.isIn([.null]), [1, 3])
            try data.expect(!path.isIn([5]), [1, 2, 3])
            try data.expect(path.between(.null, 9), [])
            try data.expect(.comparison(.init(.constant(.null), .equal, path)), [1, 3])
        }
        ConformanceCase("NOT turns every answer round, that about nil too", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.i64, [5, nil, 7])
            let path = Item.i64.expression
            try data.expect(!(path == 5), [1, 2])
            try data.expect(!(path != 5), [0])
            try data.expect(!(path > 5), [0, 1])
            try data.expect(!(path == .null), [0, 2])
            try data.expect(!(!(path > 5)), [2])
            try data.expect(!(path == 5 || path == 7), [1])
            try data.expect(!(path == 5 && path == 7), [0, 1, 2])
            try data.expect(!(path < 6) && path != .null, [2])
        }
        ConformanceCase("AND, OR and constants combine", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.i64, [0, 1, 2, 3, 4])
            let path = Item.i64.expression
            try data.expect(path > 0 && path < 3, [1, 2])
            try data.expect(path < 1 || path > 3, [0, 4])
            try data.expect((path < 1 || path > 3) && path != 0, [4])
            try data.expect(.constant(true), [0, 1, 2, 3, 4])
            try data.expect(.constant(false), [])
            try data.expect(.and([]), [0, 1, 2, 3, 4])
            try data.expect(.or([]), [])
            try data.expect(!.and([]), [])
            try data.expect(.constant(true) && path == 2, [2])
            try data.expect(.constant(false) || path == 2, [2])
            try data.expect(nil, [0, 1, 2, 3, 4])
        }
        ConformanceCase("A predicate may be nested 64 deep", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.i64, [0, 1, 2])
            var predicate = Item.i64 == 1
            for depth in 0..<64 {
                predicate = depth.isMultiple(of: 2) ? .not(predicate) : .or([.and([predicate, .constant(true)]), .constant(false)])
            }
            try data.expect(predicate, [1])
        }
        ConformanceCase("IN takes no, one, a thousand and forty thousand values", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.i64, [0, 999, 39_999, 40_000, nil])
            let path = Item.i64.expression
            func list(_ count: Int64) -> [Value] { (0..<count).map { .int($0) } }
            try data.expect(path.isIn([]), [])
            try data.expect(!path.isIn([]), [0, 1, 2, 3, 4])
            try data.expect(path.isIn(list(1)), [0])
            try data.expect(path.isIn(list(999)), [0])
            try data.expect(path.isIn(list(1000)), [0, 1])
            try data.expect(path.isIn(list(32_767)), [0, 1])
            try data.expect(path.isIn(list(40_000)), [0, 1, 2])
            try data.expect(!path.isIn(list(40_000)), [3, 4])
        }
        ConformanceCase("IN finds text, dates and numbers of other kinds", in: .queries) { environment in
            let texts = try QueryData.of(environment, Item.text, ["a", "b", "", nil, "e\u{301}", "\u{E9}"])
            try texts.expect(Item.text.isIn(["a", "", "\u{E9}"]), [0, 2, 5])
            let dates = try QueryData.of(ConformanceEnvironment.inside(environment, "dates"), Item.date, days + [nil])
            try dates.expect(Item.date.isIn([days[0], days[2]]), [0, 2])
            let doubles = try QueryData.of(ConformanceEnvironment.inside(environment, "doubles"), Item.double, [1, 1.5, 2, nil])
            try doubles.expect(key("double").isIn([1, 2]), [0, 2])
        }
        ConformanceCase("Numbers of different kinds compare by magnitude", in: .queries) { environment in
            let integers = try QueryData.of(environment, Item.i64, [-2, 1, 2, (1 << 53) + 1, .max, nil])
            try integers.expect(key("i64") > 1.5, [2, 3, 4])
            try integers.expect(key("i64") == 2.0, [2])
            try integers.expect(key("i64") == 1.5, [])
            try integers.expect(key("i64") != 1.5, [0, 1, 2, 3, 4, 5])
            try integers.expect(key("i64") > 9_007_199_254_740_992.0, [3, 4])
            try integers.expect(key("i64") < .double(.infinity), [0, 1, 2, 3, 4])
            try integers.expect(key("i64") < .double(.nan), [])
            try integers.expect(key("i64") != .double(.nan), [0, 1, 2, 3, 4, 5])
            try integers.expect(key("i64") < .decimal(Decimal(string: "1.5") ?? 0), [0, 1])
            try integers.expect(key("i64").between(-1.5, 2.5), [1, 2])
            try integers.expect(key("i16") == 100_000, [])
            try integers.expect(key("i16") != 100_000, [0, 1, 2, 3, 4, 5])
        }
        ConformanceCase("A value that is no number equals nothing and orders with nothing", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.double, [.nan, 1, nil, -.infinity])
            let path = Item.double.expression
            try data.expect(path == .double(.nan), [])
            try data.expect(path != .double(.nan), [0, 1, 2, 3])
            try data.expect(path < 2, [1, 3])
            try data.expect(path >= 1, [1])
            try data.expect(path == .null, [2])
            try data.expect(path != .null, [0, 1, 3])
            try data.expect(!(path < 2), [0, 2])
            try data.expect(path != 1, [0, 2, 3])
        }
        // SQL reckons with a text instead of what is no number, and took a nil beside it for a number too.
        ConformanceCase("What is computed of nil and of what is no number is nil", in: .queries) { environment in
            let pairs: [(Double?, Float?)] = [(.nan, nil), (nil, .nan), (.nan, .nan), (.nan, 1), (nil, nil), (nil, 1), (1, 1)]
            let data = try QueryData(environment) { context in
                for (index, pair) in pairs.enumerated() {
                    let item = Item(context: context)
                    item[Item.number] = Int64(index)
                    item[Item.double] = pair.0
                    item[Item.float] = pair.1
                    item[Item.i64] = pair.1 == nil ? nil : 2
                }
            }
            for text in ["double + float", "double - float", "double * float", "double + i64", "double / i64", "i64 * 2 - double"] {
                try data.expect(try QueryPredicate(format: "\(text) == nil"), [0, 1, 4, 5])
                try data.expect(try QueryPredicate(format: "\(text) != nil"), [2, 3, 6])
            }
            try data.expect(try QueryPredicate(format: "double + float == i64"), [0, 4, 6])
            try data.expect(try QueryPredicate(format: "double + float != i64"), [1, 2, 3, 5])
        }
        ConformanceCase("Two attributes of an object can be compared", in: .queries) { environment in
            let data = try QueryData(environment) { context in
                for (index, pair) in [(1, 1), (1, 2), (2, 1), (nil, 1), (nil, nil)].enumerated() as EnumeratedSequence<[(Int32?, Int64?)]> {
                    let item = Item(context: context)
                    item[Item.number] = Int64(index)
                    item[Item.i32] = pair.0
                    item[Item.i64] = pair.1
                    item[Item.double] = pair.0.map { Double($0) }
                }
            }
            func compare(_ op: QueryComparison.Operator, _ right: String = "i64") -> QueryPredicate {
                .comparison(.init(key("i32"), op, key(right)))
            }
            try data.expect(compare(.equal), [0, 4])
            try data.expect(compare(.notEqual), [1, 2, 3])
            try data.expect(compare(.less), [1])
            try data.expect(compare(.greaterOrEqual), [0, 2])
            try data.expect(!compare(.less), [0, 2, 3, 4])
            try data.expect(compare(.equal, "double"), [0, 1, 2, 3, 4])
        }
        ConformanceCase("Text is compared by its bytes unless folded", in: .queries) { environment in
            let data = try QueryData.of(environment, Item.text, ["e\u{301}", "\u{E9}", "E", "e", "\u{C9}", "f", nil])
            try data.expect(Item.text == "\u{E9}", [1])
            try data.expect(Item.text == "e\u{301}", [0])
            try data.expect(Item.text > "f", [1, 4])
            func folded(_ options: QueryComparison.Options) -> QueryPredicate {
                .comparison(.init(key("text"), .equal, .constant("e"), options))
            }
            try data.expect(folded(.caseInsensitive), [2, 3])
            try data.expect(folded(.diacriticInsensitive), [0, 1, 3])
            try data.expect(folded([.caseInsensitive, .diacriticInsensitive]), [0, 1, 2, 3, 4])
            try data.expect(!folded([.caseInsensitive, .diacriticInsensitive]), [5, 6])
        }
    }
}

extension ConformanceEnvironment {
    /// The same environment in a directory inside of its own.
    static func inside(_ environment: ConformanceEnvironment, _ name: String) throws -> ConformanceEnvironment {
        try ConformanceEnvironment(
            harness: environment.harness,
            partners: environment.partners,
            directory: "\(environment.directory)/\(name)"
        )
    }
}
