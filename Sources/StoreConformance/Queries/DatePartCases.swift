import FoundationEssentials
import Strata
import StrataQuery

/// Parts of dates in conditions, groups and expressions; the parts themselves are compared with the system's calendar elsewhere.
enum DatePartCases {
    /// Moments beside the ends of days, months, years and summer time, in UTC.
    private static let moments: [(text: String, seconds: Double)] = [
        ("2023-12-31 22:30", 725_754_600), ("2023-12-31 23:30", 725_758_200), ("2024-01-01 00:00", 725_760_000),
        ("2024-02-29 12:00", 730_900_800), ("2024-03-31 00:59:59.75", 733_539_599.75), ("2024-03-31 01:00", 733_539_600),
        ("2024-10-27 00:30", 751_681_800), ("2024-10-27 01:30", 751_685_400), ("2000-12-31 23:59:59.5", -0.5),
        ("1969-07-20 20:17:40", -992_490_140),
    ]

    private static let zones = [
        "Africa/Cairo", "Africa/Casablanca", "Africa/Johannesburg", "Africa/Lagos", "America/Anchorage", "America/Argentina/Buenos_Aires",
        "America/Bogota", "America/Caracas", "America/Chicago", "America/Denver", "America/Halifax", "America/Havana", "America/Lima",
        "America/Los_Angeles", "America/Mexico_City", "America/New_York", "America/Santiago", "America/Sao_Paulo", "America/St_Johns",
        "Asia/Dhaka", "Asia/Hong_Kong", "Asia/Jerusalem", "Asia/Kathmandu", "Asia/Kolkata", "Asia/Shanghai", "Asia/Tehran", "Asia/Tokyo",
        "Asia/Ulaanbaatar", "Australia/Adelaide", "Australia/Lord_Howe", "Australia/Sydney", "Europe/Dublin", "Europe/Istanbul",
        "Europe/London", "Europe/Moscow", "Europe/Rome", "Pacific/Apia", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Honolulu",
    ]

    /// Moments from 1801 to 2200: random ones, and those beside some changes of the offset of each zone.
    private static func centuries(_ rules: [ZoneRules], _ generator: inout SeededGenerator) -> [Double] {
        var moments = (0..<Effort.count(80, soak: 4000)).map { _ in Double(generator.below(400 * 365_242)) * 86.4 - 200 * 31_556_952 }
        for rules in rules {
            func offset(_ moment: Int64) -> Int32 { rules.offset(at: moment + 978_307_200) }
            for _ in 0..<Effort.count(2, soak: 100) {
                var low = (Int64(generator.below(300)) - 150) * 31_556_952
                var high = low + 20 * 86_400
                // Where the offset stays within those days, some later ones are looked at.
                for _ in 0..<40 where offset(low) == offset(high) { (low, high) = (high, high + 20 * 86_400) }
                if offset(low) == offset(high) { continue }
                while high - low > 1 {
                    let middle = (low + high) / 2
                    if offset(middle) == offset(low) { low = middle } else { high = middle }
                }
                moments += [-0.5, 0, 0.25].map { Double(high) + $0 }
            }
        }
        return moments
    }

    private static func items(_ environment: ConformanceEnvironment) throws -> ManagedObjectContext {
        let stack = try environment.stack(Models.items)
        let context = stack.context()
        Item.insert(moments.map { Date(timeIntervalSinceReferenceDate: $0.seconds) } + [nil], of: Item.date, into: context)
        let item = Item(context: context)
        item[Item.date] = Date(timeIntervalSinceReferenceDate: .nan)
        try context.save()
        return try stack.reopened().context()
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Objects are found by the parts of a date in a time zone", in: .queries) { environment in
            let context = try items(environment)
            let expected: [(format: String, count: Int)] = [
                ("year:in:(date, \"UTC\") == 2023", 2), ("year:in:(date, \"Europe/Rome\") == 2023", 1),
                ("year:in:(date, \"-05:00\") == 2023", 3),
                ("month:in:(date, \"UTC\") == 12", 3), ("day:in:(date, \"UTC\") == 29", 1), ("dayOfYear:in:(date, \"UTC\") == 366", 1),
                ("hour:in:(date, \"Europe/Rome\") == 1", 2), ("hour:in:(date, \"Europe/Rome\") == 2", 2),
                ("minute:in:(date, \"+05:30\") == 0", 4),
                ("second:in:(date, \"UTC\") == 59", 2), ("weekday:in:(date, \"UTC\") == 1", 8), ("quarter:in:(date, \"UTC\") > 3", 5),
                ("weekOfYear:in:(date, \"Europe/Rome\") == 1", 3), ("yearForWeekOfYear:in:(date, \"UTC\") == 2000", 1),
                ("year:in:(date, \"UTC\") == nil", 2), ("NOT year:in:(date, \"UTC\") < 2024", 8),
                ("hour:in:(date + 3600, \"UTC\") == 0", 2),
            ]
            for (format, count) in expected {
                let found = try context.count(for: ObjectFetchRequest<Item>(try QueryPredicate(format: format)))
                try expectEqual(found, count, format)
            }
            let typed = Item.date.part(.month, in: "Asia/Kolkata") == 3
            try expectEqual(try context.count(for: ObjectFetchRequest<Item>(typed)), 2)
        }
        ConformanceCase("Parts of dates over 400 years in 40 time zones are those of the core, in every store", in: .queries) {
            environment in
            var generator = SeededGenerator(seed: 400)
            let rules = try zones.map { try unwrap(ZoneRules.named($0), $0) }
            let moments = centuries(rules, &generator)
            let stack = try environment.stack(Models.items)
            let context = stack.context()
            Item.insert(moments.map { Date(timeIntervalSinceReferenceDate: $0) }, of: Item.date, into: context)
            try context.save()
            let reader = try stack.reopened().context()
            for (zone, rules) in zip(zones, rules) {
                let parts = DatePart.allCases.map { Item.date.part($0, in: zone).expression.named($0.rawValue) }
                let groups = try reader.fetchDictionaries(
                    ObjectFetchRequest<Item>().grouped(by: [ExpressionDescription("date")] + parts, computing: [.count()]))
                try expectEqual(groups.count, Set(moments).count, zone)
                for group in groups {
                    guard case .date(let date)? = group["date"] else { throw ConformanceFailure("no date in \(group)") }
                    for part in DatePart.allCases {
                        try expectEqual(
                            group[part.rawValue], part.value(of: date, in: rules).map { .int($0) },
                            "\(part) of \(date.timeIntervalSinceReferenceDate) in \(zone)")
                    }
                }
            }
        }
        ConformanceCase("Objects are grouped by the parts of a date in a time zone", in: .queries) { environment in
            let context = try items(environment)
            let (year, month) = (
                try QueryExpression(format: "year:in:(date, \"Europe/Rome\")").named("year"),
                Item.date.part(.month, in: "Europe/Rome").expression.named("month")
            )
            let groups = try context.fetchDictionaries(
                ObjectFetchRequest<Item>(sort: [QuerySort("year"), QuerySort("month")]).grouped(
                    by: [year, month], computing: [.count(), .max("number")]))
            let text = groups.map { "\($0["year"] ?? .null) \($0["month"] ?? .null): \($0["count"] ?? .null)" }
            try expectEqual(
                text, ["nil nil: 2", "1969 7: 1", "2001 1: 1", "2023 12: 1", "2024 1: 2", "2024 2: 1", "2024 3: 2", "2024 10: 2"])
        }
        ConformanceCase("A time zone that the system does not know is an error, with the position in a text", in: .queries) { environment in
            let context = try environment.stack(Models.items).context()
            let error = try expectThrows(QueryFormatError.self) {
                try QueryPredicate(format: "i16 > 1 AND year:in:(date, \"Mars/Phobos\") == 1")
            }
            try expectEqual(error.description, "position 12: expected a time zone of the system's, found \"Mars/Phobos\"")
            let typed = ObjectFetchRequest<Item>(Item.date.part(.year, in: "../../etc/passwd") == 1)
            let refusal = try expectThrows(QueryError.self) { try context.count(for: typed) }
            try expectEqual(refusal.reason, .unknownTimeZone)
            try expectEqual(refusal.message, "the system has no time zone ../../etc/passwd")
        }
        ConformanceCase("A time zone may be an attribute of the object", in: .queries) { environment in
            let stack = try environment.stack(Models.items)
            let context = stack.context()
            for zone in ["UTC", "Europe/Rome", "+12", "Mars/Phobos", nil] {
                let item = Item(context: context)
                item[Item.date] = Date(timeIntervalSinceReferenceDate: 725_754_600)
                item[Item.text] = zone
            }
            try context.save()
            let counts = try [22, 23, 10].map { hour in
                try context.count(for: ObjectFetchRequest<Item>(try QueryPredicate(format: "hour:in:(date, text) == %d", hour)))
            }
            try expectEqual(counts, [1, 1, 1])
            try expectEqual(try context.count(for: ObjectFetchRequest<Item>(try QueryPredicate(format: "hour:in:(date, text) == nil"))), 2)
        }
    }
}
