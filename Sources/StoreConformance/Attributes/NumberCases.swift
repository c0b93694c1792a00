import FoundationEssentials
import Strata

/// Numbers at the ends of their ranges.
enum NumberCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A 16-bit integer keeps its extreme values", in: .attributes) { environment in
            try RoundTrip(Item.i16, [.min, .min + 1, -1, 0, 1, .max - 1, .max, nil]).run(environment)
        }
        ConformanceCase("A 32-bit integer keeps its extreme values", in: .attributes) { environment in
            try RoundTrip(Item.i32, [.min, .min + 1, -1, 0, 1, .max - 1, .max, nil]).run(environment)
        }
        ConformanceCase("A 64-bit integer keeps its extreme values", in: .attributes) { environment in
            try RoundTrip(Item.i64, [.min, .min + 1, -1, 0, 1, .max - 1, .max, nil]).run(environment)
        }
        ConformanceCase("A 64-bit integer is exact where a floating-point number is not", in: .attributes) { environment in
            let limit: Int64 = 1 << 53
            try RoundTrip(Item.i64, [limit - 1, limit, limit + 1, -limit - 1, -limit, 1 - limit]).run(environment)
        }
        ConformanceCase("A truth value is true, false or nil", in: .attributes) { environment in
            try RoundTrip(Item.flag, [true, false, nil, true]).run(environment)
        }
        ConformanceCase("A double keeps every bit of ordinary values", in: .attributes) { environment in
            let values: [Double?] = [0.1, -0.1, 1.0 / 3, .pi, 123_456_789.123_456_78, 9_007_199_254_740_994, 1e15, 1e16, 1e-7, nil]
            try RoundTrip(Item.double, values) { $0.bitPattern == $1.bitPattern }.run(environment)
        }
        ConformanceCase("A double keeps its extreme values and subnormal ones", in: .attributes) { environment in
            let values: [Double?] = [
                .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNormalMagnitude, .leastNonzeroMagnitude,
                -.leastNonzeroMagnitude, .leastNormalMagnitude.nextDown, .ulpOfOne, 0,
            ]
            try RoundTrip(Item.double, values) { $0.bitPattern == $1.bitPattern }.run(environment)
        }
        ConformanceCase("A double is infinite either way", in: .attributes) { environment in
            try RoundTrip(Item.double, [.infinity, 0, -.infinity, nil]).run(environment)
        }
        ConformanceCase("A double that is not a number stays so and is not nil", in: .attributes) { environment in
            try RoundTrip(Item.double, [.nan, 1, nil, -1]) { $0 == $1 || ($0.isNaN && $1.isNaN) }.run(environment)
        }
        ConformanceCase("A double keeps the sign of zero", in: .attributes) { environment in
            try RoundTrip(Item.double, [-0.0, 0.0]) { $0 == $1 && $0.sign == $1.sign }.run(environment)
        }
        ConformanceCase("A float keeps every bit", in: .attributes) { environment in
            let values: [Float?] = [
                0.1, -1.5, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, .leastNormalMagnitude, .infinity,
                -.infinity, 16_777_216, 3.402_823e38, nil,
            ]
            try RoundTrip(Item.float, values) { $0.bitPattern == $1.bitPattern }.run(environment)
        }
        ConformanceCase("A float that is not a number stays so", in: .attributes) { environment in
            try RoundTrip(Item.float, [.nan, 0, nil]) { $0 == $1 || ($0.isNaN && $1.isNaN) }.run(environment)
        }
        ConformanceCase("A float keeps the sign of zero", in: .attributes) { environment in
            try RoundTrip(Item.float, [-0.0, 0.0]) { $0 == $1 && $0.sign == $1.sign }.run(environment)
        }
        ConformanceCase("A decimal number keeps 38 digits", in: .attributes) { environment in
            let texts = [
                "99999999999999999999999999999999999999", "-99999999999999999999999999999999999999",
                "12345678901234567890.123456789012345678",
                "0.00000000000000000000000000000000000001", "1", "0", "-1",
            ]
            try RoundTrip(Item.decimal, texts.map { Decimal(string: $0) } + [nil]).run(environment)
        }
        ConformanceCase("A decimal number keeps negative exponents exactly", in: .attributes) { environment in
            let texts = ["0.1", "0.2", "0.3", "-0.1", "1e-30", "3.14159265358979323846264338327950288419", "19.99", "1e-100", "1e100"]
            try RoundTrip(Item.decimal, texts.map { Decimal(string: $0) }).run(environment)
        }
        ConformanceCase("A decimal number is told from its neighbours beyond the precision of a double", in: .attributes) { environment in
            let texts = [
                "9007199254740993", "9007199254740992", "0.1000000000000000000001", "0.1", "123456789012345678901", "123456789012345678902",
            ]
            try RoundTrip(Item.decimal, texts.map { Decimal(string: $0) }).run(environment)
        }
        ConformanceCase("Numbers of other kinds are brought to the attribute's type", in: .attributes) { environment in
            let context = try environment.stack(Models.items).context()
            let item = Item(context: context)
            try item.setValue(7, forKey: "double")
            try item.setValue(7, forKey: "decimal")
            try item.setValue(true, forKey: "i16")
            try item.setValue(1, forKey: "flag")
            try item.setValue(5.0, forKey: "i64")
            try context.save()
            try expectEqual(item[Item.double], 7)
            try expectEqual(item[Item.decimal], 7)
            try expectEqual(item[Item.i16], 1)
            try expectEqual(item[Item.flag], true)
            try expectEqual(item[Item.i64], 5)
        }
    }
}
