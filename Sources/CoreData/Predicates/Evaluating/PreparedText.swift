import StrataEvaluation
import StrataModel
import StrataQuery
import StrataText
import Synchronization

/// A test of texts against a constant, prepared at its first use: preparing a pattern costs more than matching it.
final class PreparedText: Sendable {
    private let op: QueryComparison.Operator
    private let pattern: String
    private let options: QueryComparison.Options
    private let test = Mutex<TextTest?>(nil)

    /// Creates a test; `nil` for a comparison with anything but a constant text.
    init?(_ op: QueryComparison.Operator?, _ right: NSExpression, _ options: QueryComparison.Options) {
        switch op {
        case .matches, .like, .beginsWith, .endsWith, .contains: break
        default: return nil
        }
        guard let op, case .constant(_, let operand) = right.content, case .string(let pattern)? = operand.value else { return nil }
        self.op = op
        self.pattern = pattern
        self.options = options
    }

    /// Returns whether a text passes; throws for an invalid pattern.
    func passes(_ text: String) throws -> Bool {
        try test.withLock { test in
            let prepared = try test ?? TextTest(op, pattern, options: options)
            test = prepared
            return try prepared?.passes(text) ?? false
        }
    }
}
