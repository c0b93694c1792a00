#if Macros
    import SwiftSyntax
    import SwiftSyntaxMacros

    /// `@Attribute`, `@Relationship` and `@Transient`: they say something of a property that `@Model` reads, and add nothing themselves.
    struct PropertyMarkerMacro: PeerMacro {
        static func expansion(
            of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            []
        }
    }

    /// `#Unique` and `#Index`: they say something of the class around them that `@Model` reads, and add nothing themselves.
    struct EntityClauseMacro: DeclarationMacro {
        static func expansion(
            of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            []
        }
    }
#endif
