import CStrataSQLite
import StrataEvaluation
import StrataText

/// The signature of a function that SQLite calls: a context, the number of arguments, and the arguments.
typealias SQLFunction = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

/// The functions that Strata adds to SQL.
enum SQLFunctions {
    /// Tests text: `strata_text(operator, options, pattern, text)`; null for null.
    static let text: StaticString = "strata_text("

    /// Looks a value up in a list: `strata_member(list, value)`; null for null.
    static let member: StaticString = "strata_member("

    /// The sort key of a text: `strata_key(options, text)`; null for null.
    static let orderKey: StaticString = "strata_key("

    /// Operators by their numbers in SQL.
    static let operators = QueryComparison.Operator.allCases

    static func register(on handle: OpaquePointer) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        unsafe sqlite3_create_function_v2(handle, "strata_text", 4, flags, nil, testText, nil, nil, nil)
        unsafe sqlite3_create_function_v2(handle, "strata_member", 2, flags, nil, testMembership, nil, nil, nil)
        unsafe sqlite3_create_function_v2(handle, "strata_core", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY, nil, giveUp, nil, nil, nil)
        unsafe sqlite3_create_function_v2(handle, "strata_key", 2, flags, nil, makeOrderKey, nil, nil, nil)
        unsafe CoreFunctions.register(on: handle)
        unsafe DecimalFunctions.register(on: handle)
        unsafe DateFunction.register(on: handle)
    }

    /// Returns the bytes of a text, valid as long as the value; `nil` for null.
    @inline(__always)
    static func utf8(_ value: OpaquePointer?) -> UnsafeRawBufferPointer? {
        guard let start = unsafe sqlite3_value_text(value) else { return nil }
        return unsafe UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    /// Ends a statement that SQL does not compute as the core does: the core then answers.
    private static let giveUp: SQLFunction = { context, _, _ in
        unsafe sqlite3_result_error_code(context, SQLITE_ERROR)
    }

    private static let testText: SQLFunction = { context, count, arguments in
        guard count == 4, let arguments = unsafe arguments, let bytes = unsafe utf8(arguments[3]) else {
            return unsafe sqlite3_result_null(context)
        }
        if let known = unsafe sqlite3_get_auxdata(context, 2) {
            return unsafe Unmanaged<PreparedTest>.fromOpaque(known).takeUnretainedValue().answer(bytes, context)
        }
        let test = unsafe PreparedTest(arguments)
        unsafe test.answer(bytes, context)
        unsafe sqlite3_set_auxdata(context, 2, Unmanaged.passRetained(test).toOpaque()) { pointer in
            if let pointer = unsafe pointer { unsafe Unmanaged<PreparedTest>.fromOpaque(pointer).release() }
        }
    }

    /// A test that SQLite caches with the statement's constant pattern.
    private final class PreparedTest {
        private let test: TextTest?

        init(_ arguments: UnsafeMutablePointer<OpaquePointer?>) {
            let index = unsafe Int(sqlite3_value_int(arguments[0]))
            let options = unsafe QueryComparison.Options(rawValue: Int(sqlite3_value_int(arguments[1])))
            // A malformed pattern was refused before the statement was compiled.
            test =
                if operators.indices.contains(index), let pattern = unsafe utf8(arguments[2]) {
                    try? TextTest(operators[index], unsafe String(decoding: pattern, as: UTF8.self), options: options)
                } else { nil }
        }

        func answer(_ bytes: UnsafeRawBufferPointer, _ context: OpaquePointer?) {
            do throws(QueryError) {
                unsafe sqlite3_result_int(context, try test?.passes(bytes) ?? false ? 1 : 0)
            } catch {
                // Ends the statement; the core reaches the same text and throws the whole error.
                unsafe sqlite3_result_error_code(context, SQLITE_ERROR)
            }
        }
    }

    // MARK: - Order

    private static let makeOrderKey: SQLFunction = { context, count, arguments in
        guard count == 2, let arguments = unsafe arguments, let text = unsafe utf8(arguments[1]) else {
            return unsafe sqlite3_result_null(context)
        }
        var (key, scratch): ([UInt8], [UInt8]) = ([], [])
        unsafe TextOrder.appendKey(
            of: text, QueryComparison.Options(rawValue: Int(sqlite3_value_int(arguments[0]))), to: &key, &scratch)
        unsafe key.withUnsafeBytes { unsafe strata_sqlite_result_blob_copy(context, $0.baseAddress, Int32(clamping: $0.count)) }
    }

    // MARK: - Lists

    /// The pointer type, so that SQLite passes the pointer to no other function.
    private static let listName: StaticString = "strata-list"

    /// Binds a list, which the statement retains until it is bound again.
    static func bind(_ set: BindingSet, to statement: OpaquePointer, at index: Int) {
        let name = unsafe UnsafeRawPointer(listName.utf8Start).assumingMemoryBound(to: CChar.self)
        unsafe sqlite3_bind_pointer(statement, Int32(truncatingIfNeeded: index), Unmanaged.passRetained(set).toOpaque(), name) { pointer in
            if let pointer = unsafe pointer { unsafe Unmanaged<BindingSet>.fromOpaque(pointer).release() }
        }
    }

    private static let testMembership: SQLFunction = { context, count, arguments in
        let name = unsafe UnsafeRawPointer(listName.utf8Start).assumingMemoryBound(to: CChar.self)
        guard count == 2, let arguments = unsafe arguments, let pointer = unsafe sqlite3_value_pointer(arguments[0], name),
            let value = unsafe binding(arguments[1])
        else { return unsafe sqlite3_result_null(context) }
        unsafe sqlite3_result_int(context, Unmanaged<BindingSet>.fromOpaque(pointer).takeUnretainedValue().contains(value) ? 1 : 0)
    }

    private static func binding(_ value: OpaquePointer?) -> SQLBinding? {
        switch unsafe sqlite3_value_type(value) {
        case SQLITE_INTEGER: return unsafe .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: return unsafe .double(sqlite3_value_double(value))
        case SQLITE_TEXT: return unsafe utf8(value).map { unsafe .textBytes(Array($0)) }
        case SQLITE_BLOB:
            let start = unsafe sqlite3_value_blob(value)
            return unsafe .blob(Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))))
        default: return nil
        }
    }
}
