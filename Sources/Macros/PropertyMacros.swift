#if Macros
    import SwiftSyntax
    import SwiftSyntaxMacros

    /// `@Attribute`, `@Relationship` and `@Transient`: markers that `@Model` reads, without an expansion of their own.
    struct PropertyMarkerMacro: PeerMacro {
        static func expansion(
            of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            []
        }
    }

    /// `#Unique` and `#Index`: clauses that `@Model` reads, without an expansion of their own.
    struct EntityClauseMacro: DeclarationMacro {
        static func expansion(
            of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            []
        }
    }

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
