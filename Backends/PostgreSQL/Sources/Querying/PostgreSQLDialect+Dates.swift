import StrataSQL

/// Parts of dates, which the server computes with its own time zone database.
extension PostgreSQLDialect {
    /// `CASE WHEN x >= … AND x < … THEN date_part('month', to_timestamp(floor(x) + 978307200) AT TIME ZONE 'Europe/Rome')::bigint … END`.
    ///
    /// The zone is a literal, so that an expression is the same where it is selected and where it is grouped by. The server counts no year 0,
    /// and ends before the core does: the statement fails for such dates.
    static func datePart(_ part: DatePart, _ arguments: [ResolvedExpression], in compiler: inout ConditionCompiler) -> SQLExpression? {
        guard arguments.count == 2, case .constant(.string(let zone)) = arguments[1], ZoneRules.named(zone) != nil,
            let date = compiler.expression(arguments[0]), date.kind == .date, compiler.admitFailure()
        else { return nil }
        let x = date.sql
        // A text with a sign would be read as POSIX does, which counts to the west.
        let zoneSQL: SQLText =
            ZoneRules.fixedOffset(zone).map { SQLText("interval '\(number: $0) seconds'") } ?? SQLText("\(literal: zone)")
        let moment: SQLText = "pg_catalog.to_timestamp(floor(\(x)) + 978307200) AT TIME ZONE \(zoneSQL)"
        let number: SQLText = "date_part('\(field(part))', \(moment))::bigint\(part == .weekday ? " + 1" : "")"
        // The difference is not 0 for infinities and NaN, whose parts are nil.
        let sql: SQLText = """
            (CASE WHEN \(x) >= -63082281600 AND \(x) < 8000000000000 THEN \(number) \
            WHEN \(x) - \(x) = 0 THEN ('distant ' || \(x)::text)::bigint END)
            """
        return SQLExpression(sql, kind: .integer)
    }

    private static func field(_ part: DatePart) -> StaticString {
        switch part {
        case .year: "year"
        case .quarter: "quarter"
        case .month: "month"
        case .weekOfYear: "week"
        case .yearForWeekOfYear: "isoyear"
        case .day: "day"
        case .dayOfYear: "doy"
        case .weekday: "dow"
        case .hour: "hour"
        case .minute: "minute"
        case .second: "second"
        }
    }
}
