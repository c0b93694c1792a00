#if Macros
    import SwiftSyntax
    import SwiftSyntaxBuilder
    import SwiftSyntaxMacros

    /// `@Model`: a class declares its entity.
    struct ModelMacro: MemberMacro, MemberAttributeMacro, ExtensionMacro {
        static func expansion(
            of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax, conformingTo protocols: [TypeSyntax],
            in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            guard ModelChecker(node, context).accepts(declaration), let declaration = declaration.as(ClassDeclSyntax.self) else {
                return []
            }
            let model = ModelClass(declaration, node)
            return [model.entityDeclaration] + [model.initialValues].compactMap(\.self) + [model.originInitializer].compactMap(\.self)
        }

        static func expansion(
            of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax, providingAttributesFor member: some DeclSyntaxProtocol,
            in context: some MacroExpansionContext
        ) throws -> [AttributeSyntax] {
            guard ModelChecker.isModelClass(declaration) else { return [] }
            if let property = member.as(VariableDeclSyntax.self), ModelProperty(property) != nil { return ["@PersistedProperty"] }
            if let initializer = member.as(InitializerDeclSyntax.self), ModelInitializerMacro.isNeeded(by: initializer) {
                return ["@ModelInitializer"]
            }
            return []
        }

        static func expansion(
            of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax, providingExtensionsOf type: some TypeSyntaxProtocol,
            conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
        ) throws -> [ExtensionDeclSyntax] {
            guard ModelChecker.isModelClass(declaration), !protocols.isEmpty else { return [] }
            return [try ExtensionDeclSyntax("extension \(type.trimmed): PersistentModel {}")]
        }
    }
#endif
