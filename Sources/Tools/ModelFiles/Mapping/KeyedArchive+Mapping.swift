import StrataModel
import StrataQuery

extension KeyedArchive {
    /// Returns the format text of the archived expression, in which the source object is `$source`.
    ///
    /// - Throws: ``ModelFileError`` with `unsupportedExpression` for expressions that mappings do not support.
    func expressionText(limits: ModelFileLimits) throws(ModelFileError) -> String {
        guard let root = root else { throw ModelFileError(.malformedArchive, "the archive has no root") }
        var unarchiver = ExpressionUnarchiver(limits: limits, evaluated: .variable("source"))
        return try unarchiver.expression(root).description
    }

    func userInfo() -> [String: String] {
        guard let root else { return [:] }
        return Dictionary(root.ownPairs.compactMap { key, value in root.string(of: value).map { (key, $0) } }) { first, _ in first }
    }
}
