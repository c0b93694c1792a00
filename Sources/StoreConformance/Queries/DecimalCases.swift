import FoundationEssentials
import Strata

/// Sums, averages, extremes, comparisons and orders of decimals, against arithmetic with single digits.
enum DecimalCases {
    /// Numbers of every stored form: amounts of money, integers, all digits that a decimal has, and distant exponents.
    private static func number(_ kind: Int, _ generator: inout SeededGenerator) throws -> Decimal {
        func digits(_ count: Int) -> String {
            String(1 + generator.below(9)) + (1..<max(2, count)).map { _ in String(generator.below(10)) }.joined()
        }
        let sign = generator.chance(40) ? "-" : ""
        let text =
            switch kind {
            case 0: "\(generator.below(100_000_000))e-2"
            case 1: String(Int64(truncatingIfNeeded: generator.next()).magnitude)
            case 2: "\(digits(38))e\(generator.below(60) - 40)"
            case 3: "\(digits(1 + generator.below(15)))e-\(20 + generator.below(80))"
            case 4: "\(digits(1 + generator.below(20)))e\(40 + generator.below(60))"
            case 5: "\(digits(14 + generator.below(4)))e-\(generator.below(14))"
            default: "\(digits(1 + generator.below(38)))e\(generator.below(200) - 120)"
            }
        return try unwrap(Decimal(string: sign + text), text)
    }

    private static let kinds = 7

    /// Numbers that are each other's neighbours beyond the precision of a floating-point number.
    private static let neighbours = [
        "0", "0.1", "0.10000000000000000000001", "-0.1", "-0.10000000000000000000001", "19.99", "20", "19.999999999999999999", "1e15",
        "9007199254740992", "9007199254740993", "9007199254740992.5", "-9007199254740993", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808", "-9223372036854775809", "123456789012345.6", "123456789012345678901234567890", "1e100", "1e-100", "-1e100",
        "99999999999999999999999999999999999999", "3.4e127", "-2.5", "2.5",
    ]

    private static func neighbouringItems(
        _ environment: ConformanceEnvironment, _ model: ModelResult, _ name: String = "store"
    ) throws -> ManagedObjectContext {
        let stack = try environment.stack(model, name)
        let context = stack.context()
        let values = try neighbours.map { try unwrap(Decimal(string: $0)) }
        Item.insert(values.map(Optional.some) + [nil, .nan, nil, .nan], of: Item.decimal, into: context)
        try context.save()
        return try stack.reopened().context()
    }

    private static func precedes(_ a: Decimal?, _ b: Decimal?) -> Bool {
        guard let a, let b else { return a == nil && b != nil }
        return a.isNaN || b.isNaN ? !a.isNaN && b.isNaN : a < b
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Sums and averages of random decimals are exact", in: .queries) { environment in
            var generator = SeededGenerator(seed: 4711)
            let stack = try environment.stack(Models.items)
            var (sums, counts) = (Array(repeating: DigitSum(), count: kinds), Array(repeating: 0, count: kinds))
            var extremes: [(least: Decimal, greatest: Decimal)?] = Array(repeating: nil, count: kinds)
            let count = Effort.count(1500, soak: 1_000_000)
            // Some stores write everything with each save.
            let saved = Effort.count(10_000, soak: 200_000)
            for start in stride(from: 0, to: count, by: saved) {
                let context = stack.context()
                for index in start..<min(count, start + saved) {
                    let kind = index % kinds
                    let item = Item(context: context)
                    item[Item.i16] = Int16(kind)
                    if generator.chance(5) { continue }
                    let number = try number(kind, &generator)
                    item[Item.decimal] = number
                    sums[kind].add(number)
                    counts[kind] += 1
                    let known = extremes[kind] ?? (number, number)
                    extremes[kind] = (min(known.least, number), max(known.greatest, number))
                }
                try context.save()
            }
            let computed: [ExpressionDescription] = [
                .sum("decimal"), .average("decimal"), .min("decimal"), .max("decimal"), .count("decimal"),
            ]
            let groups = try stack.context().fetchDictionaries(ObjectFetchRequest<Item>().grouped(by: ["i16"], computing: computed))
            try expectEqual(groups.count, kinds)
            for (kind, group) in groups.enumerated() {
                try expectEqual(group["sum_decimal"], .decimal(try sums[kind].rounded()), "of kind \(kind)")
                try expectEqual(group["average_decimal"], .decimal(try sums[kind].rounded(dividedBy: counts[kind])), "of kind \(kind)")
                try expectEqual(group["min_decimal"], extremes[kind].map { .decimal($0.least) }, "of kind \(kind)")
                try expectEqual(group["max_decimal"], extremes[kind].map { .decimal($0.greatest) }, "of kind \(kind)")
                try expectEqual(group["count_decimal"], .int(Int64(counts[kind])))
            }
            var all = DigitSum()
            for sum in sums { all.add(sum) }
            let whole = try stack.context().fetchDictionaries(ObjectFetchRequest<Item>().grouped(computing: computed))
            try expectEqual(whole[0]["sum_decimal"], .decimal(try all.rounded()))
            try expectEqual(whole[0]["average_decimal"], .decimal(try all.rounded(dividedBy: counts.reduce(0, +))))
        }
        ConformanceCase("Sums of products of decimals and integers are exact", in: .queries) { environment in
            let stack = try environment.stack(Models.items)
            let context = stack.context()
            for (price, quantity) in [("19.99", 3), ("-0.01", 7), ("123456789012345678.9", 2), ("5", nil), (nil, 4)] as [(String?, Int16?)]
            {
                let item = Item(context: context)
                item[Item.decimal] = price.flatMap { Decimal(string: $0) }
                item[Item.i16] = quantity
            }
            try context.save()
            let total = ExpressionDescription(name: "total", expression: .function(.sum, [try QueryExpression(format: "decimal * i16")]))
            let groups = try context.fetchDictionaries(ObjectFetchRequest<Item>().grouped(computing: [total]))
            try expectEqual(groups[0]["total"], Decimal(string: "246913578024691417.7").map { .decimal($0) })
        }
        ConformanceCase("A sum with a decimal NaN is NaN, and the extremes pass over it", in: .queries) { environment in
            let context = try neighbouringItems(environment, Models.items)
            let groups = try context.fetchDictionaries(
                ObjectFetchRequest<Item>().grouped(computing: [.sum("decimal"), .average("decimal"), .min("decimal"), .max("decimal")]))
            try expect(groups[0]["sum_decimal"]?.isNaN == true, "the sum is \(String(describing: groups[0]["sum_decimal"]))")
            try expect(groups[0]["average_decimal"]?.isNaN == true, "the average is a number")
            try expectEqual(groups[0]["min_decimal"], Decimal(string: "-1e100").map { .decimal($0) })
            try expectEqual(groups[0]["max_decimal"], Decimal(string: "3.4e127").map { .decimal($0) })
        }
        ConformanceCase("A sum beyond the range of decimals is an error, and not one that returns into it", in: .queries) { environment in
            let stack = try environment.stack(Models.items)
            let context = stack.context()
            let great = try unwrap(Decimal(string: "300000000000000000000000000000000000000e127"))
            Item.insert([great, great], of: Item.decimal, into: context)
            try context.save()
            let request = ObjectFetchRequest<Item>().grouped(computing: [.sum("decimal")])
            let error = try expectThrows(QueryError.self) { try context.fetchDictionaries(request) }
            try expectEqual(error.reason, .overflow)
            Item.insert([-great], of: Item.decimal, into: context)
            try context.save()
            try expectEqual(try stack.context().fetchDictionaries(request)[0]["sum_decimal"], .decimal(great))
        }
        ConformanceCase("Decimals are compared exactly, beyond the precision of floating-point numbers", in: .queries) { environment in
            let operators: [(text: String, holds: (Decimal, Decimal) -> Bool)] = [
                ("==", { $0 == $1 }), ("!=", { $0 != $1 }), ("<", { $0 < $1 }), ("<=", { $0 <= $1 }), (">", { $0 > $1 }),
                (">=", { $0 >= $1 }),
            ]
            let values = try neighbours.map { try unwrap(Decimal(string: $0)) }
            for (name, model) in [("plain", Models.items), ("indexed", Models.indexedItems)] {
                let context = try neighbouringItems(environment, model, name)
                for (text, holds) in operators {
                    for constant in values {
                        let request = ObjectFetchRequest<Item>(try QueryPredicate(format: "decimal \(text) %@", constant))
                        // Nil and NaN differ from any number, and have no order.
                        let expected = values.count { holds($0, constant) } + (text == "!=" ? 4 : 0)
                        try expectEqual(try context.count(for: request), expected, "decimal \(text) \(constant)")
                        let opposite = ObjectFetchRequest<Item>(try QueryPredicate(format: "NOT decimal \(text) %@", constant))
                        try expectEqual(try context.count(for: opposite), values.count + 4 - expected, "NOT decimal \(text) \(constant)")
                    }
                }
                let (low, high) = (values[5], values[10])
                let between = try QueryPredicate(format: "decimal BETWEEN {%@, %@}", low, high)
                try expectEqual(try context.count(for: ObjectFetchRequest<Item>(between)), values.count { $0 >= low && $0 <= high })
                let among = try QueryPredicate(format: "decimal IN %@", [values[2], values[10], values[14], 77].map { Value.decimal($0) })
                try expectEqual(try context.count(for: ObjectFetchRequest<Item>(among)), 3)
                try expectEqual(
                    try context.count(for: ObjectFetchRequest<Item>(try QueryPredicate(format: "decimal == %@", Decimal.nan))), 0)
                try expectEqual(try context.count(for: ObjectFetchRequest<Item>(try QueryPredicate(format: "decimal == nil"))), 2)
                try expectEqual(
                    try context.count(for: ObjectFetchRequest<Item>(try QueryPredicate(format: "decimal * 2 > %@", values[5]))),
                    values.count { $0 * 2 > values[5] })
            }
        }
        ConformanceCase("Decimals are sorted exactly, nil first and NaN last", in: .queries) { environment in
            let values = try neighbours.map { try unwrap(Decimal(string: $0)) }.map(Optional.some) + [nil, .nan, nil, .nan]
            func text(_ values: [Decimal?]) -> [String] { values.map { $0.map { $0.isNaN ? "NaN" : $0.description } ?? "nil" } }
            for (name, model) in [("plain", Models.items), ("indexed", Models.indexedItems)] {
                let context = try neighbouringItems(environment, model, name)
                for ascending in [true, false] {
                    let sort = [QuerySort("decimal", ascending: ascending)]
                    let expected = text(values.sorted { ascending ? precedes($0, $1) : precedes($1, $0) })
                    try expectEqual(text(try context.fetch(ObjectFetchRequest<Item>(sort: sort)).map { $0[Item.decimal] }), expected)
                    let first = try context.fetch(ObjectFetchRequest<Item>(sort: sort, limit: 9)).map { $0[Item.decimal] }
                    try expectEqual(text(first), Array(expected.prefix(9)))
                }
            }
        }
        ConformanceCase("Sums of the decimals of a collection are compared as they are", in: .queries) { environment in
            let stack = try environment.stack(Guild.model)
            let context = stack.context()
            try Guild.fill(context)
            try context.save()
            let members = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Member"))
            for bound in ["-1", "-0.25", "0", "0.5", "1.75"] {
                let bound = try unwrap(Decimal(string: bound))
                let predicate = try QueryPredicate(format: "staff.@sum.price > %@", bound)
                let expected = try members.count { member in
                    let staff = try member.value(forKey: "staff") as? Set<ManagedObject> ?? []
                    return try staff.compactMap { try $0.value(forKey: "price") as? Decimal }.reduce(0, +) > bound
                }
                try expectEqual(
                    try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Member", predicate)), expected, "above \(bound)")
            }
        }
    }
}

/// A sum of decimals with one cell for each digit.
private struct DigitSum {
    /// The lowest cell has the digits of 10^-150.
    private static let lowest = -150
    private var cells = [Int64](repeating: 0, count: 400)

    mutating func add(_ number: Decimal) {
        let text = Array(number.description.utf8)
        let sign: Int64 = text.first == UInt8(ascii: "-") ? -1 : 1
        let digits = text.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let fraction = text.firstIndex(of: UInt8(ascii: ".")).map { text.count - 1 - $0 } ?? 0
        for (index, digit) in digits.reversed().enumerated() {
            cells[index - fraction - DigitSum.lowest] += sign * Int64(digit - UInt8(ascii: "0"))
        }
    }

    mutating func add(_ other: DigitSum) { for index in cells.indices { cells[index] += other.cells[index] } }

    /// The sum divided by a number, with 38 digits.
    func rounded(dividedBy count: Int = 1) throws -> Decimal {
        let isNegative = carried(1) == nil
        let magnitude = try unwrap(carried(isNegative ? -1 : 1))
        var (digits, remainder): ([Int], Int) = ([], 0)
        for cell in magnitude.reversed() {
            let dividend = remainder * 10 + Int(cell)
            digits.append(dividend / count)
            remainder = dividend % count
        }
        var significant = Array(digits.drop { $0 == 0 })
        var exponent = DigitSum.lowest
        while significant.last == 0 {
            significant.removeLast()
            exponent += 1
        }
        while significant.count > 38 || exponent < -128 {
            let isLast = significant.count == 39 && exponent >= -129 || significant.count < 39 && exponent == -129
            let dropped = significant.removeLast()
            exponent += 1
            if isLast, dropped >= 5 { DigitSum.increment(&significant) }
            while isLast, significant.last == 0 {
                significant.removeLast()
                exponent += 1
            }
        }
        let text = significant.map(String.init).joined()
        return try unwrap(Decimal(string: "\(isNegative && !text.isEmpty ? "-" : "")\(text.isEmpty ? "0" : text)e\(exponent)"))
    }

    /// The cells times a sign as digits; `nil` where the result is negative.
    private func carried(_ sign: Int64) -> [Int64]? {
        var (digits, carry): ([Int64], Int64) = ([], 0)
        for cell in cells {
            let sum = cell * sign + carry
            let digit = ((sum % 10) + 10) % 10
            carry = (sum - digit) / 10
            digits.append(digit)
        }
        return carry < 0 ? nil : digits
    }

    private static func increment(_ digits: inout [Int]) {
        for index in digits.indices.reversed() {
            digits[index] += 1
            if digits[index] < 10 { return }
            digits[index] = 0
        }
        digits.insert(1, at: 0)
    }
}
