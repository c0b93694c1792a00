#if Macros
    import SwiftSyntax
    import SwiftSyntaxBuilder
    import SwiftSyntaxMacros

    /// Has a designated initialiser of a model's class begin with an object: properties are accessors, which need one.
    struct ModelInitializerMacro: BodyMacro {
        static func expansion(
            of node: AttributeSyntax, providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
            in context: some MacroExpansionContext
        ) throws -> [CodeBlockItemSyntax] {
            guard let body = declaration.body else { return [] }
            let statements = Array(body.statements)
            guard let call = statements.firstIndex(where: isSuperCall) else { return ["super.init(ObjectOrigin.new)"] + statements }
            let before = statements[..<call]
            return before.filter { !isAssignment($0) } + [statements[call]] + before.filter(isAssignment) + statements[(call + 1)...]
        }

        /// Whether an initialiser is one that has to be given a beginning, or that assigns before it has one.
        static func isNeeded(by initializer: InitializerDeclSyntax) -> Bool {
            guard let body = initializer.body, !initializer.modifiers.contains(where: { $0.name.tokenKind == .keyword(.convenience) })
            else {
                return false
            }
            if let call = body.statements.firstIndex(where: isSuperCall) { return body.statements[..<call].contains(where: isAssignment) }
            let finder = InitializerCallFinder(viewMode: .sourceAccurate)
            finder.walk(body)
            return !finder.isFound
        }

        private static func isSuperCall(_ statement: CodeBlockItemSyntax) -> Bool {
            var expression = statement.item.as(ExprSyntax.self)
            if let tried = expression?.as(TryExprSyntax.self) { expression = tried.expression }
            return expression?.as(FunctionCallExprSyntax.self)?.calledExpression.as(MemberAccessExprSyntax.self)?.base?.is(
                SuperExprSyntax.self)
                == true
        }

        /// Whether a statement assigns to a property of the object.
        private static func isAssignment(_ statement: CodeBlockItemSyntax) -> Bool {
            let first: ExprSyntax? =
                if let sequence = statement.item.as(SequenceExprSyntax.self) {
                    sequence.elements.first
                } else {
                    statement.item.as(InfixOperatorExprSyntax.self)?.leftOperand
                }
            return first?.trimmedDescription.hasPrefix("self.") == true
        }
    }

    /// Looks for `super.init` and `self.init`.
    private final class InitializerCallFinder: SyntaxVisitor {
        var isFound = false

        override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
            let isInitializer = node.declName.baseName.tokenKind == .keyword(.`init`)
            let base = node.base
            if isInitializer, base?.is(SuperExprSyntax.self) == true || base?.trimmedDescription == "self" { isFound = true }
            return .visitChildren
        }
    }
#endif
