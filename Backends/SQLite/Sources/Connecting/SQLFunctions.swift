import CSQLite
import StrataQuery

/// The functions that Strata adds to SQL.
enum SQLFunctions {
    /// Tests text: `strata_text(operator, options, pattern, text)`, null where the text is.
    static let text: StaticString = "strata_text("

    /// Operators by the number that stands for them in SQL.
    static let operators = QueryComparison.Operator.allCases

    /// Adds the functions to a connection.
    static func register(on handle: OpaquePointer) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        sqlite3_create_function_v2(handle, "strata_text", 4, flags, nil, testText, nil, nil, nil)
        // The triggers of Apple's derived attributes call these to tell their process what they changed.
        for name in [
            "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
            "NSCoreDataTriggerUpdateAffectedObjectValue",
        ] {
            sqlite3_create_function_v2(handle, name, -1, SQLITE_UTF8 | SQLITE_INNOCUOUS, nil, doNothing, nil, nil, nil)
        }
    }

    private static let doNothing: @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = { context, _, _ in
        sqlite3_result_null(context)
    }

    private static let testText: @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
        context, count, arguments in
        guard count == 4, let arguments, let start = sqlite3_value_text(arguments[3]) else { return sqlite3_result_null(context) }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(arguments[3])))
        if let known = sqlite3_get_auxdata(context, 2) {
            return Unmanaged<PreparedTest>.fromOpaque(known).takeUnretainedValue().answer(bytes, context)
        }
        let test = PreparedTest(arguments)
        test.answer(bytes, context)
        sqlite3_set_auxdata(context, 2, Unmanaged.passRetained(test).toOpaque()) { pointer in
            if let pointer { Unmanaged<PreparedTest>.fromOpaque(pointer).release() }
        }
    }

    /// A test that SQLite keeps with the statement's constant pattern.
    private final class PreparedTest {
        private let test: TextTest?

        init(_ arguments: UnsafeMutablePointer<OpaquePointer?>) {
            let index = Int(sqlite3_value_int(arguments[0]))
            let options = QueryComparison.Options(rawValue: Int(sqlite3_value_int(arguments[1])))
            guard operators.indices.contains(index), let start = sqlite3_value_text(arguments[2]) else {
                test = nil
                return
            }
            let count = Int(sqlite3_value_bytes(arguments[2]))
            let pattern = String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
            // A pattern that does not parse was refused before it came here.
            test = try? TextTest(operators[index], pattern, options)
        }

        func answer(_ bytes: UnsafeRawBufferPointer, _ context: OpaquePointer?) {
            do throws(QueryError) {
                sqlite3_result_int(context, try test?.passes(bytes) ?? false ? 1 : 0)
            } catch {
                // Ends the statement; the core then meets the same text and throws the error with all it says.
                sqlite3_result_error_code(context, SQLITE_ERROR)
            }
        }
    }
}
