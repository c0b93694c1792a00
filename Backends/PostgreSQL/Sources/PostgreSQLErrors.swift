import CStrataPostgreSQL
import StrataStore

/// An error message of the server, or of libpq.
struct PostgreSQLFailure: Error, CustomStringConvertible {
    /// The SQLSTATE; empty where the connection failed.
    let state: String
    let message: String

    var description: String { state.isEmpty ? message : "\(message) (\(state))" }

    /// Whether a constraint refused a row: a uniqueness constraint, or a foreign key.
    var isConstraint: Bool { ["23505", "23P01", "23503"].contains(state) }

    /// Whether the server cannot compute with a value, or the statement exceeds one of its limits.
    var isAboutValues: Bool { state.hasPrefix("22") || state.hasPrefix("54") }

    /// Whether a store's error has such a cause.
    static func isAboutValues(_ error: any Error) -> Bool { PostgreSQLFailure(of: error)?.isAboutValues ?? false }

    /// Whether the transaction failed because of a concurrent one.
    var isSerialization: Bool { state == "40001" || state == "40P01" }

    /// Whether a rule of another program replaced the action of a foreign key.
    let isRewrittenReference: Bool

    /// The failure of a statement.
    init(_ result: OpaquePointer?, _ connection: OpaquePointer, hiding secrets: [String]) {
        func field(_ code: Unicode.Scalar) -> String? {
            unsafe PQresultErrorField(result, Int32(UInt8(ascii: code))).map { unsafe String(cString: $0) }
        }
        let state = field("C") ?? ""
        // The details of a message would show values.
        let text = unsafe field("M") ?? String(cString: PQerrorMessage(connection))
        // The code alone means any internal error of the server.
        let isRewritten = state == "XX000" && field("R") == "ri_PerformCheck"
        self.init(state: state, message: text, hiding: secrets, isRewrittenReference: isRewritten)
    }

    /// The codes of statements that do not fit the types of columns: another program changed them.
    fileprivate static let statesOfTypes: Set = ["22P02", "42804", "42846", "42883"]
    var isOfType: Bool { PostgreSQLFailure.statesOfTypes.contains(state) }

    /// Whether a prepared statement is another connection's, or is missing: the session is not the connection's.
    var isOfOtherSession: Bool { ["42P05", "26000"].contains(state) }

    /// The failure that caused a store's error.
    init?(of error: any Error) {
        guard let failure = (error as? StoreError)?.underlying as? PostgreSQLFailure else { return nil }
        self = failure
    }

    init(state: String, message: String, hiding secrets: [String] = [], isRewrittenReference: Bool = false) {
        self.state = state
        self.isRewrittenReference = isRewrittenReference
        var message = message
        while message.last?.isWhitespace == true { message.removeLast() }
        for secret in secrets where !secret.isEmpty { message = message.replacing(secret, with: "…") }
        self.message = message.replacing("\n", with: " ")
    }
}

extension StoreError {
    /// Maps a failure of the server to a store's error.
    init(_ failure: PostgreSQLFailure, _ operation: StoreError.Operation) {
        let (code, recovery) = failure.isRewrittenReference ? (.denied, nil) : StoreError.kind(of: failure.state)
        let message =
            failure.isOfType
            ? "a column is not of the type that the store gave it: \(failure.message)"
            : failure.isOfOtherSession ? "\(Session.isShared): \(failure.message)" : failure.message
        self.init(code, operation, message, underlying: failure, recovery: recovery)
    }

    private static func kind(of state: String) -> (StoreError.Code, StoreError.Recovery?) {
        switch state {
        case "40001", "40P01": (.serializationFailure, nil)
        case "55P03", "57014", "25P03": (.locked, nil)
        case "23505", "23P01", "23503": (.constraint, nil)
        case "53100": (.full, nil)
        case "53300", "57P03": (.locked, .retryable)
        case "42501": (.denied, nil)
        case "25006": (.readOnly, nil)
        case "42P05", "26000": (.unsupported, nil)
        case "3D000", "3F000": (.missing, nil)
        // A table or a column that existed when the store was opened.
        case "42P01", "42703", "0A000": (.replaced, nil)
        case "22003", "22001": (.tooLarge, nil)
        case "22021", "22P05": (.wrongValue, nil)
        case "XX001", "XX002": (.corrupt, nil)
        case _ where PostgreSQLFailure.statesOfTypes.contains(state): (.corrupt, nil)
        case _ where state.hasPrefix("28"): (.denied, nil)
        case _ where state.hasPrefix("54"): (.tooLarge, nil)
        default: (.io, ["53", "57", "08", ""].contains(state.prefix(2)) ? .retryable : nil)
        }
    }
}
