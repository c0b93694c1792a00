import CStrataSQLite
import StrataSQL

/// Functions of the query language that SQL calls and the core evaluates: `strata_call(function, kind, value, …)`.
enum CoreFunctions {
    private static let functions = QueryFunction.allCases

    static func register(on handle: OpaquePointer) {
        unsafe sqlite3_create_function_v2(
            handle, "strata_call", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nil, call, nil, nil, nil)
    }

    // MARK: - SQL

    /// Returns a call; `nil` where the kind of its value is not known in advance.
    static func call(_ function: QueryFunction, _ operands: [SQLExpression]) -> SQLExpression? {
        guard let kind = resultKind(function, operands) else { return nil }
        var result = SQLExpression(sql(function, operands), kind: kind)
        result.derive(from: operands)
        return result
    }

    /// Returns arithmetic of decimals and integers.
    ///
    /// A result that is no decimal ends the statement: the core then answers.
    static func decimal(_ function: QueryFunction, _ operands: [SQLExpression]) -> SQLExpression? {
        guard operands.allSatisfy({ $0.kind == .decimal || $0.isCertainlyInteger }) else { return nil }
        switch (function, operands.count) {
        case (.add, 2), (.subtract, 2), (.multiply, 2), (.divide, 2), (.modulus, 2), (.negate, 1), (.abs, 1), (.floor, 1), (.ceiling, 1),
            (.trunc, 1):
            var result = SQLExpression(sql(function, operands), kind: .decimal)
            result.derive(from: operands)
            return result
        default: return nil
        }
    }

    /// Returns a value converted to a named type.
    static func cast(_ operand: SQLExpression, to name: String) -> SQLExpression? {
        guard operand.numbers.isEmpty, !operand.mayHideNaN, isReadable(operand), let kind = kind(ofType: name) else { return nil }
        return SQLExpression(sql(.cast, [operand, SQLExpression(SQLText("\(bind: .text(name))"), kind: .string)]), kind: kind)
    }

    private static func sql(_ function: QueryFunction, _ operands: [SQLExpression]) -> SQLText {
        let arguments = operands.map { SQLText(", \(number: Int($0.kind.rawValue)), \($0.sql)") }
        return "strata_call(\(number: functions.firstIndex(of: function) ?? -1)\(arguments, separator: ""))"
    }

    private static func resultKind(_ function: QueryFunction, _ operands: [SQLExpression]) -> SlotKind? {
        guard operands.allSatisfy(isReadable) else { return nil }
        switch (function, operands.count) {
        case (.floor, 1), (.ceiling, 1), (.trunc, 1): return operands[0].isNumber ? operands[0].kind : nil
        case (.squareRoot, 1), (.log, 1), (.ln, 1), (.exp, 1): return operands[0].isNumber ? .double : nil
        case (.raise, 2) where operands.allSatisfy(\.isInteger): return .integer
        case (.bitwiseXor, 2) where operands.allSatisfy(\.isCertainlyInteger): return .integer
        case (.uppercase, 1), (.lowercase, 1), (.canonical, 1): return operands[0].isText ? .string : nil
        case (.length, 1), (.characterCount, 1): return operands[0].isText ? .integer : nil
        default: return nil
        }
    }

    private static func isReadable(_ operand: SQLExpression) -> Bool {
        operand.isNumber || operand.isText || operand.kind == .date || operand.kind == .boolean
    }

    private static func kind(ofType name: String) -> SlotKind? {
        switch name.lowercased() {
        case "nsstring", "string": .string
        case "nsdate", "date": .date
        case "integer16", "integer32", "integer64", "integer", "int": .integer
        case "double", "float": .double
        case "boolean", "bool": .boolean
        default: nil
        }
    }

    // MARK: - Calls

    private static let call: SQLFunction = { context, count, arguments in
        guard let arguments = unsafe arguments, count >= 3, unsafe functions.indices.contains(Int(sqlite3_value_int(arguments[0]))) else {
            return unsafe sqlite3_result_null(context)
        }
        let function = unsafe functions[Int(sqlite3_value_int(arguments[0]))]
        func value(_ index: Int) -> Value {
            unsafe read(arguments[index + 1], SlotKind(rawValue: UInt8(truncatingIfNeeded: sqlite3_value_int(arguments[index]))))
        }
        let result: Value?
        if count == 3 {
            let first = value(1)
            result = function.unary.map { $0(first) }
        } else {
            let (first, second) = (value(1), value(3))
            result = function.binary.map { $0(first, second) }
        }
        let takesDecimals = stride(from: 1, to: Int(count), by: 2).contains { index in
            unsafe sqlite3_value_int(arguments[index]) == Int32(SlotKind.decimal.rawValue)
        }
        if takesDecimals {
            switch result ?? .null {
            case .decimal(let number): return unsafe DecimalColumn.answer(number, context)
            case .null: break
            default: return unsafe sqlite3_result_error_code(context, SQLITE_ERROR)
            }
        }
        unsafe answer(result ?? .null, context)
    }

    private static func read(_ value: OpaquePointer?, _ kind: SlotKind?) -> Value {
        switch unsafe (sqlite3_value_type(value), kind) {
        case (SQLITE_NULL, _): return .null
        case (_, .decimal): return unsafe DecimalColumn.number(value).map { .decimal($0.decimal) } ?? .null
        case (SQLITE_TEXT, .double), (SQLITE_TEXT, .float): return .double(.nan)
        case (_, .date): return unsafe .date(Date(timeIntervalSinceReferenceDate: sqlite3_value_double(value)))
        case (_, .boolean): return unsafe .bool(sqlite3_value_int64(value) != 0)
        case (SQLITE_INTEGER, .integer): return unsafe .int(sqlite3_value_int64(value))
        case (_, .integer), (_, .double), (_, .float): return unsafe .double(sqlite3_value_double(value))
        case (_, .string), (_, .uri):
            return unsafe .string(SQLFunctions.utf8(value).map { unsafe String(decoding: $0, as: UTF8.self) } ?? "")
        default: return .null
        }
    }

    private static func answer(_ value: Value, _ context: OpaquePointer?) {
        switch value {
        case .int(let number): unsafe sqlite3_result_int64(context, number)
        case .double(let number): unsafe sqlite3_result_double(context, number)
        case .bool(let flag): unsafe sqlite3_result_int(context, flag ? 1 : 0)
        case .date(let date): unsafe sqlite3_result_double(context, date.timeIntervalSinceReferenceDate)
        case .string(var text):
            text.withUTF8 { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self) {
                    unsafe strata_sqlite_result_text_copy(context, $0.baseAddress, Int32(clamping: $0.count))
                }
            }
        default: unsafe sqlite3_result_null(context)
        }
    }
}
