#if Macros
    import SwiftSyntax
    import SwiftSyntaxMacros

    /// Makes a stored property an accessor over a typed key, which it declares.
    struct PersistedPropertyMacro: AccessorMacro, PeerMacro {
        static func expansion(
            of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
        ) throws -> [AccessorDeclSyntax] {
            declaration.as(VariableDeclSyntax.self).flatMap(ModelProperty.init)?.accessors ?? []
        }

        static func expansion(
            of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            declaration.as(VariableDeclSyntax.self).flatMap(ModelProperty.init).map { [$0.keyDeclaration] } ?? []
        }
    }
#endif
