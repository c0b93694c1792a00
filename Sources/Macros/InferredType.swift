#if Macros
    import SwiftSyntax
    import SwiftSyntaxBuilder

    /// The types of initial values, as far as syntax determines them.
    enum InferredType {
        /// Returns the type of a literal, or of a call of an initialiser; `nil` if only a compiler can infer it.
        static func type(of expression: ExprSyntax) -> TypeSyntax? {
            if expression.is(StringLiteralExprSyntax.self) { return "String" }
            if expression.is(BooleanLiteralExprSyntax.self) { return "Bool" }
            let number =
                expression.as(PrefixOperatorExprSyntax.self).flatMap { $0.operator.text == "-" ? $0.expression : nil } ?? expression
            if number.is(IntegerLiteralExprSyntax.self) { return "Int" }
            if number.is(FloatLiteralExprSyntax.self) { return "Double" }
            if let call = expression.as(FunctionCallExprSyntax.self), let name = call.calledExpression.as(DeclReferenceExprSyntax.self),
                name.baseName.text.first?.isUppercase == true
            {
                return "\(name.trimmed)"
            }
            return nil
        }

        /// Returns whether an expression, unlike `.now`, is the same for all objects: a literal or `.case`.
        static func isConstant(_ expression: ExprSyntax) -> Bool {
            if let text = expression.as(StringLiteralExprSyntax.self) {
                return text.segments.allSatisfy { $0.is(StringSegmentSyntax.self) }
            }
            if let array = expression.as(ArrayExprSyntax.self) { return array.elements.allSatisfy { isConstant($0.expression) } }
            if let dictionary = expression.as(DictionaryExprSyntax.self) {
                guard case .elements(let elements) = dictionary.content else { return true }
                return elements.allSatisfy { isConstant($0.key) && isConstant($0.value) }
            }
            if let signed = expression.as(PrefixOperatorExprSyntax.self) {
                return signed.operator.text == "-" && isConstant(signed.expression)
            }
            if let member = expression.as(MemberAccessExprSyntax.self) {
                return member.base == nil && member.declName.baseName.text != "now"
            }
            return expression.is(IntegerLiteralExprSyntax.self) || expression.is(FloatLiteralExprSyntax.self)
                || expression.is(BooleanLiteralExprSyntax.self)
        }
    }
#endif
