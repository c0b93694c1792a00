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
            return ["super.init(ObjectOrigin.new)"] + Array(body.statements)
        }

        /// Whether an initialiser is one that has to be given a beginning.
        static func isNeeded(by initializer: InitializerDeclSyntax) -> Bool {
            guard let body = initializer.body, !initializer.modifiers.contains(where: { $0.name.tokenKind == .keyword(.convenience) }) else {
                return false
            }
            let finder = InitializerCallFinder(viewMode: .sourceAccurate)
            finder.walk(body)
            return !finder.isFound
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
