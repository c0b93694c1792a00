import CStrataSQLite
import StrataSQL

/// Parts of dates: `strata_date(part, date, zone)`; null for null and NaN.
enum DateFunction {
    private static let parts = DatePart.allCases

    static func register(on handle: OpaquePointer) {
        unsafe sqlite3_create_function_v2(
            handle, "strata_date", 3, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nil, compute, nil, nil, nil)
    }

    /// Returns the part of a date; `nil` where the operands are no date and no text.
    static func call(_ part: DatePart, _ operands: [SQLExpression]) -> SQLExpression? {
        guard operands.count == 2, operands[0].kind == .date, !operands[0].mayHideNaN, operands[1].kind == .string else { return nil }
        let index = parts.firstIndex(of: part) ?? 0
        var result = SQLExpression("strata_date(\(number: index), \(operands[0].sql), \(operands[1].sql))", kind: .integer)
        result.details.isDatePart = true
        return result
    }

    private final class Zone {
        let rules: ZoneRules

        init(_ rules: ZoneRules) { self.rules = rules }
    }

    private static let compute: SQLFunction = { context, count, arguments in
        guard count == 3, let arguments = unsafe arguments, case let index = unsafe Int(sqlite3_value_int(arguments[0])),
            parts.indices.contains(index), case let type = unsafe sqlite3_value_type(arguments[1]), type != SQLITE_NULL,
            type != SQLITE_TEXT,
            let zone = unsafe zone(context, arguments[2]),
            let number = unsafe parts[index].value(
                of: Date(timeIntervalSinceReferenceDate: sqlite3_value_double(arguments[1])), in: zone.rules)
        else { return unsafe sqlite3_result_null(context) }
        unsafe sqlite3_result_int64(context, number)
    }

    /// Returns the zone of an argument, which SQLite caches with a constant.
    private static func zone(_ context: OpaquePointer?, _ argument: OpaquePointer?) -> Zone? {
        if let known = unsafe sqlite3_get_auxdata(context, 2) { return unsafe Unmanaged<Zone>.fromOpaque(known).takeUnretainedValue() }
        guard let name = unsafe SQLFunctions.utf8(argument).map({ unsafe String(decoding: $0, as: UTF8.self) }),
            let rules = ZoneRules.named(name)
        else { return nil }
        let zone = Zone(rules)
        unsafe sqlite3_set_auxdata(context, 2, Unmanaged.passRetained(zone).toOpaque()) { pointer in
            if let pointer = unsafe pointer { unsafe Unmanaged<Zone>.fromOpaque(pointer).release() }
        }
        return zone
    }
}
