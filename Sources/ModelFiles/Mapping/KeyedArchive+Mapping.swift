import StrataPropertyLists
import StrataQuery

extension KeyedArchive {
    /// The format text of the expression that the archive is of, in which the object of the source is `$source`.
    ///
    /// - Throws: ``ModelFileError`` with `unsupportedExpression` for a kind of expression that mappings have no use for.
    func expressionText(limits: ModelFileLimits) throws(ModelFileError) -> String {
        guard let root = root else { throw ModelFileError(.malformedArchive, "the archive has no root") }
        var unarchiver = ExpressionUnarchiver(limits: limits, evaluated: .variable("source"))
        return try unarchiver.expression(root).description
    }

    /// The texts of the dictionary that the archive is of.
    func userInfo() -> [String: String] {
        guard let root else { return [:] }
        return Dictionary(root.ownPairs.compactMap { key, value in root.string(of: value).map { (key, $0) } }) { first, _ in first }
    }
}
