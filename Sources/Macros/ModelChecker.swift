#if Macros
    import SwiftDiagnostics
    import SwiftSyntax
    import SwiftSyntaxBuilder
    import SwiftSyntaxMacros

    /// Reports the errors of a model class at their locations.
    struct ModelChecker {
        private let marker: AttributeSyntax
        private let context: any MacroExpansionContext

        init(_ marker: AttributeSyntax, _ context: any MacroExpansionContext) {
            self.marker = marker
            self.context = context
        }

        static func isModelClass(_ declaration: some DeclGroupSyntax) -> Bool {
            guard let declaration = declaration.as(ClassDeclSyntax.self) else { return false }
            return declaration.genericParameterClause == nil && !lacksSuperclass(declaration)
        }

        /// Returns whether a class inherits nothing but known protocols.
        private static func lacksSuperclass(_ declaration: ClassDeclSyntax) -> Bool {
            let protocols: Set<String> = [
                "Codable", "Encodable", "Decodable", "Identifiable", "CustomStringConvertible", "CustomDebugStringConvertible",
                "Comparable",
                "Sendable", "PropertyValidating", "PersistentModel",
            ]
            guard let first = declaration.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription else { return true }
            return protocols.contains(first)
        }

        /// Checks a declaration as a whole, and its members; returns whether it can be expanded.
        func accepts(_ declaration: some DeclGroupSyntax) -> Bool {
            guard let declaration = declaration.as(ClassDeclSyntax.self) else {
                report(
                    .notAClass, at: declaration.introducer, declaration.as(StructDeclSyntax.self).map { [ModelFixes.makeClass($0)] } ?? [])
                return false
            }
            if let generics = declaration.genericParameterClause {
                report(.genericClass, at: generics)
                return false
            }
            if ModelChecker.lacksSuperclass(declaration) {
                report(.noSuperclass, at: declaration.name, [ModelFixes.inherit(declaration)])
                return false
            }
            for case .attribute(let attribute) in declaration.attributes where attribute.isNamed("MainActor") {
                report(.isolated, at: attribute, [ModelFixes.remove(attribute, from: declaration)])
            }
            for member in declaration.memberBlock.members {
                if let property = member.decl.as(VariableDeclSyntax.self) { check(property) }
                if let clause = member.decl.as(MacroExpansionDeclSyntax.self) { check(clause) }
            }
            return true
        }

        // MARK: - Properties

        private func check(_ declaration: VariableDeclSyntax) {
            if let transient = declaration.marker("Transient") { return checkTransient(declaration, transient) }
            guard ModelProperty.isStored(declaration) else {
                for name in ["Attribute", "Relationship"] {
                    if let marker = declaration.marker(name) {
                        report(.computed, at: marker, [ModelFixes.remove(marker, from: declaration)])
                    }
                }
                return
            }
            if let problem = ModelProperty.problem(declaration) { return report(problem, declaration) }
            guard let property = ModelProperty(declaration) else { return }
            if ModelProperty.takenNames.contains(property.plainName) { report(.takenName(property.plainName), at: property.nameSyntax) }
            if !property.isNamedPlainly { report(.illegalName(property.plainName), at: property.nameSyntax) }
            if let type = UnsupportedType.reason(property.type) {
                report(.unsupportedType("\(property.type)", type), at: property.type(of: declaration))
            }
            checkMarkers(property)
        }

        private func report(_ problem: ModelDiagnostic, _ declaration: VariableDeclSyntax) {
            switch problem {
            case .constant: report(.constant, at: declaration.bindingSpecifier, [ModelFixes.makeVariable(declaration)])
            case .lazy: report(.lazy, at: declaration, [ModelFixes.markTransient(declaration)])
            case .weak: report(.weak, at: declaration, [ModelFixes.removeReferenceModifier(declaration)])
            case .observers: report(.observers, at: declaration.bindings.first?.accessorBlock.map(Syntax.init) ?? Syntax(declaration))
            case .untyped:
                report(.untyped, at: declaration.bindings.first?.pattern ?? "", [ModelFixes.annotate(declaration)].compactMap(\.self))
            default: report(problem, at: declaration)
            }
        }

        private func checkTransient(_ declaration: VariableDeclSyntax, _ marker: AttributeSyntax) {
            for name in ["Attribute", "Relationship"] {
                if let other = declaration.marker(name) {
                    report(.transientAndKept(name), at: other, [ModelFixes.remove(other, from: declaration)])
                }
            }
            guard !declaration.isComputed, let binding = declaration.bindings.first, binding.initializer == nil,
                binding.typeAnnotation?.type.is(OptionalTypeSyntax.self) != true
            else { return }
            report(.transientWithoutValue, at: binding.pattern)
        }

        private func checkMarkers(_ property: ModelProperty) {
            if let attribute = property.attributeMarker, let relationship = property.relationshipMarker {
                report(.attributeAndRelationship, at: attribute, [ModelFixes.remove(relationship, from: property.declaration)])
            }
            guard let relationship = property.relationshipMarker else { return }
            if ModelProperty.knownTypes.contains((property.elementType ?? property.type).trimmedDescription) {
                report(
                    .relationshipOnAttribute("\(property.type)"), at: relationship,
                    [ModelFixes.remove(relationship, from: property.declaration)])
            }
            for option in relationship.unlabeledArguments {
                if option.lastName == "unique" { report(.uniqueRelationship, at: option) }
                if option.lastName == "ordered", property.elementType == nil { report(.orderedToOne, at: option) }
                if option.lastName == "ordered", property.type.as(IdentifierTypeSyntax.self)?.name.text == "Set" {
                    report(.orderedSet, at: property.type(of: property.declaration))
                }
            }
            if let inverse = relationship.argument("inverse"), !inverse.is(NilLiteralExprSyntax.self),
                inverse.keyPathNames?.count != 1 || inverse.as(KeyPathExprSyntax.self)?.root == nil
            {
                report(.inverse, at: inverse)
            }
            if property.elementType == nil {
                for label in ["minimumModelCount", "maximumModelCount"] {
                    if let count = relationship.argument(label) { report(.countOfToOne, at: count) }
                }
            }
        }

        // MARK: - Clauses

        private func check(_ clause: MacroExpansionDeclSyntax) {
            guard ["Unique", "Index"].contains(clause.macroName.text) else { return }
            for argument in clause.arguments {
                guard let array = argument.expression.as(ArrayExprSyntax.self) else {
                    report(.clause(clause.macroName.text), at: argument)
                    continue
                }
                for element in array.elements where element.expression.clauseNames == nil {
                    report(.clause(clause.macroName.text), at: element.expression)
                }
            }
        }

        private func report(_ problem: ModelDiagnostic, at node: some SyntaxProtocol, _ fixes: [FixIt] = []) {
            context.diagnose(Diagnostic(node: Syntax(node), message: problem, fixIts: fixes))
        }
    }
#endif
