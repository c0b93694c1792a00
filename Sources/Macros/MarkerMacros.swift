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
#endif
