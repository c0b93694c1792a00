#if Macros
    import SwiftDiagnostics
    import SwiftSyntax
    import SwiftSyntaxBuilder

    extension SyntaxProtocol {
        /// Returns a copy with a change.
        ///
        /// Not by `with`: writing through a key path to a property of the toolchain's swift-syntax ends the process.
        fileprivate func changed(_ change: (inout Self) -> Void) -> Self {
            var copy = self
            change(&copy)
            return copy
        }
    }

    enum ModelFixes {
        private static func clause(_ others: InheritanceClauseSyntax?) -> InheritanceClauseSyntax {
            let names = ["ManagedObject"] + (others?.inheritedTypes.map { $0.type.trimmedDescription } ?? [])
            let types = names.enumerated().map { index, name in
                InheritedTypeSyntax(
                    type: IdentifierTypeSyntax(name: .identifier(name)),
                    trailingComma: index + 1 < names.count ? .commaToken(trailingTrivia: .space) : nil)
            }
            return InheritanceClauseSyntax(
                colon: .colonToken(trailingTrivia: .space), inheritedTypes: InheritedTypeListSyntax(types), trailingTrivia: .space)
        }

        static func inherit(_ declaration: ClassDeclSyntax) -> FixIt {
            let fixed = declaration.changed {
                $0.name.trailingTrivia = []
                $0.inheritanceClause = clause(declaration.inheritanceClause)
            }
            return .replace(message: ModelFix.inherit, oldNode: declaration, newNode: fixed)
        }

        static func makeClass(_ declaration: StructDeclSyntax) -> FixIt {
            let fixed = ClassDeclSyntax(
                attributes: declaration.attributes, modifiers: declaration.modifiers,
                classKeyword: .keyword(
                    .class, leadingTrivia: declaration.structKeyword.leadingTrivia, trailingTrivia: declaration.structKeyword.trailingTrivia
                ),
                name: declaration.name.changed { $0.trailingTrivia = [] }, inheritanceClause: clause(declaration.inheritanceClause),
                memberBlock: declaration.memberBlock)
            return .replace(message: ModelFix.makeClass, oldNode: Syntax(declaration), newNode: Syntax(fixed))
        }

        static func makeVariable(_ declaration: VariableDeclSyntax) -> FixIt {
            let keyword = declaration.bindingSpecifier
            return .replace(message: ModelFix.makeVariable, oldNode: keyword, newNode: keyword.changed { $0.tokenKind = .keyword(.var) })
        }

        static func markTransient(_ declaration: VariableDeclSyntax) -> FixIt {
            let marker = AttributeSyntax(
                leadingTrivia: declaration.leadingTrivia, attributeName: IdentifierTypeSyntax(name: "Transient"), trailingTrivia: .space)
            let fixed = declaration.changed {
                $0.leadingTrivia = []
                $0.attributes = [.attribute(marker)] + $0.attributes
            }
            return .replace(message: ModelFix.markTransient, oldNode: declaration, newNode: fixed)
        }

        static func removeReferenceModifier(_ declaration: VariableDeclSyntax) -> FixIt {
            let removed: [TokenKind] = [.keyword(.weak), .keyword(.unowned)]
            var fixed = declaration
            fixed.modifiers = declaration.modifiers.filter { !removed.contains($0.name.tokenKind) }
            fixed.leadingTrivia = declaration.leadingTrivia
            return .replace(message: ModelFix.removeModifier, oldNode: declaration, newNode: fixed)
        }

        static func annotate(_ declaration: VariableDeclSyntax) -> FixIt? {
            guard let binding = declaration.bindings.first else { return nil }
            let space: Trivia = binding.initializer == nil ? [] : .space
            let annotation = TypeAnnotationSyntax(
                colon: .colonToken(trailingTrivia: .space), type: IdentifierTypeSyntax(name: .identifier("<#Type#>")), trailingTrivia: space
            )
            let fixed = binding.changed {
                $0.pattern.trailingTrivia = []
                $0.typeAnnotation = annotation
            }
            return .replace(message: ModelFix.annotate, oldNode: binding, newNode: fixed)
        }

        static func remove(_ marker: AttributeSyntax, from declaration: some WithAttributesSyntax & DeclSyntaxProtocol) -> FixIt {
            var fixed = declaration
            fixed.attributes = declaration.attributes.filter { $0.as(AttributeSyntax.self)?.id != marker.id }
            fixed.leadingTrivia = declaration.leadingTrivia
            return .replace(message: ModelFix.remove(marker.attributeName.trimmedDescription), oldNode: declaration, newNode: fixed)
        }
    }
#endif
