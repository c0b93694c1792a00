import CStrataSQLite
import StrataSQL

/// Functions over decimals in their stored forms, see ``DecimalColumn``.
enum DecimalFunctions {
    private static let functions: [AggregateFunction] = [.sum, .average, .min, .max]

    static func register(on handle: OpaquePointer) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        unsafe sqlite3_create_function_v2(handle, "strata_compare", 2, flags, nil, compare, nil, nil, nil)
        unsafe sqlite3_create_function_v2(handle, "strata_decimal_key", 1, flags, nil, makeKey, nil, nil, nil)
        unsafe sqlite3_create_function_v2(handle, "strata_decimals", 2, flags, nil, nil, step, finish, nil)
    }

    /// Returns an exact aggregate: `strata_decimals(0, t1.ZPRICE)`; `nil` for other functions.
    static func aggregate(_ function: AggregateFunction, of operand: SQLText) -> SQLText? {
        functions.firstIndex(of: function).map { "strata_decimals(\(number: $0), \(operand))" }
    }

    // MARK: - Order

    /// `strata_compare(a, b)`: below, at or above 0; null for null and NaN.
    private static let compare: SQLFunction = { context, count, arguments in
        guard count == 2, let arguments = unsafe arguments, let a = unsafe DecimalColumn.number(arguments[0]),
            let b = unsafe DecimalColumn.number(arguments[1])
        else { return unsafe sqlite3_result_null(context) }
        switch a.compare(b) {
        case .less: unsafe sqlite3_result_int(context, -1)
        case .equal: unsafe sqlite3_result_int(context, 0)
        case .greater: unsafe sqlite3_result_int(context, 1)
        case .unordered: unsafe sqlite3_result_null(context)
        }
    }

    /// `strata_decimal_key(number)`: bytes in the order of the numbers, NaN last; null for null.
    private static let makeKey: SQLFunction = { context, count, arguments in
        guard count == 1, let arguments = unsafe arguments, let number = unsafe DecimalColumn.number(arguments[0]) else {
            return unsafe sqlite3_result_null(context)
        }
        let key = orderKey(number)
        unsafe key.withUnsafeBytes { unsafe strata_sqlite_result_blob_copy(context, $0.baseAddress, Int32(clamping: $0.count)) }
    }

    /// The sign, the exponent of the first digit, and the digits without zeros at their end; complemented for a negative number.
    private static func orderKey(_ number: DecimalNumber) -> [UInt8] {
        if number.isNaN { return [0xFF] }
        if number.magnitude == 0 { return [0x80] }
        var digits = Array(String(number.magnitude).utf8)
        let exponent = UInt16(truncatingIfNeeded: digits.count + number.exponent + 0x4000)
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        let key = [UInt8(truncatingIfNeeded: exponent >> 8), UInt8(truncatingIfNeeded: exponent)] + digits + [0]
        return number.isNegative ? [0x40] + key.map { ~$0 } : [0xC0] + key
    }

    // MARK: - Aggregates

    /// A running aggregate, which SQLite keeps a reference of.
    private final class Tally {
        var tally = AggregateTally()
        let function: AggregateFunction

        init(_ function: AggregateFunction) { self.function = function }
    }

    private static func tally(_ context: OpaquePointer?) -> UnsafeMutablePointer<UnsafeMutableRawPointer?>? {
        unsafe sqlite3_aggregate_context(context, Int32(MemoryLayout<UnsafeMutableRawPointer?>.size))?
            .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    private static let step: SQLFunction = { context, count, arguments in
        guard count == 2, let arguments = unsafe arguments, let held = unsafe tally(context) else {
            return unsafe sqlite3_result_error_nomem(context)
        }
        if unsafe held.pointee == nil {
            let index = unsafe Int(sqlite3_value_int(arguments[0]))
            guard functions.indices.contains(index) else { return unsafe sqlite3_result_error_code(context, SQLITE_ERROR) }
            unsafe held.pointee = Unmanaged.passRetained(Tally(functions[index])).toOpaque()
        }
        guard let pointer = unsafe held.pointee, let number = unsafe DecimalColumn.number(arguments[1]) else { return }
        let tally = unsafe Unmanaged<Tally>.fromOpaque(pointer).takeUnretainedValue()
        tally.tally.add(number, for: tally.function)
    }

    private static let finish: @convention(c) (OpaquePointer?) -> Void = { context in
        guard let held = unsafe tally(context), let pointer = unsafe held.pointee else {
            // No row: the sum of nothing, and nil for the other functions.
            return unsafe sqlite3_result_null(context)
        }
        let tally = unsafe Unmanaged<Tally>.fromOpaque(pointer).takeRetainedValue()
        unsafe held.pointee = nil
        guard let value = try? tally.tally.partial(for: tally.function).value(of: tally.function) else {
            // The core throws the whole error.
            return unsafe sqlite3_result_error_code(context, SQLITE_ERROR)
        }
        if case .decimal(let number) = value {
            unsafe DecimalColumn.answer(number, context)
        } else {
            unsafe sqlite3_result_null(context)
        }
    }
}
