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

    /// Types that are invalid for attributes and relationships, as far as syntax determines it.
    enum UnsupportedType {
        /// Returns why a type cannot be stored; `nil` if it may.
        static func reason(_ type: TypeSyntax) -> String? {
            if type.is(FunctionTypeSyntax.self) || type.is(AttributedTypeSyntax.self) { return "a function is no value" }
            if let tuple = type.as(TupleTypeSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first {
                return reason(only.type)
            }
            if type.is(TupleTypeSyntax.self) { return "a tuple is not Codable; make it a structure that is" }
            if type.is(SomeOrAnyTypeSyntax.self) || ["Any", "AnyObject"].contains(type.trimmedDescription) {
                return "a store keeps values of one type that is known"
            }
            if type.is(OptionalTypeSyntax.self) { return "an optional of an optional" }
            return nil
        }
    }

    extension ModelProperty {
        /// Members of managed objects, which are invalid names of properties.
        static let takenNames: Set<String> = [
            "managedObjectContext", "objectID", "entity", "entityDeclaration", "isInserted", "isUpdated", "isDeleted", "hasChanges",
            "isFault",
            "hasPersistentChangedValues", "description", "hashValue",
        ]

        /// Whether the name is a plain identifier without a meaning after a dot, which code can be derived from.
        var isNamedPlainly: Bool {
            let name = plainName
            return !["Self", "Type", "self", "init"].contains(name) && !name.unicodeScalars.contains { $0.isASCII && !Self.isPlain($0) }
        }

        private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
            scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
        }

        func type(of declaration: VariableDeclSyntax) -> Syntax {
            declaration.bindings.first?.typeAnnotation.map { Syntax($0.type) } ?? Syntax(declaration)
        }
    }
#endif
