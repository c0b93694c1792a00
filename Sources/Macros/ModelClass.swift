#if Macros
    import SwiftSyntax
    import SwiftSyntaxBuilder

    /// A model class, and its generated members.
    struct ModelClass {
        private let declaration: ClassDeclSyntax
        private let marker: AttributeSyntax
        private let properties: [ModelProperty]

        init(_ declaration: ClassDeclSyntax, _ marker: AttributeSyntax) {
            self.declaration = declaration
            self.marker = marker
            properties = declaration.memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self).flatMap(ModelProperty.init) }
        }

        private var name: TokenSyntax { declaration.name.trimmed }
        private var access: String {
            let access = declaration.modifiers.accessPrefix
            return access == "fileprivate " ? "" : access
        }

        var entityDeclaration: DeclSyntax {
            let entityName = marker.unlabeledArguments.first?.trimmedDescription ?? "\"\(name.plainText)\""
            var arguments = [entityName, "class: \(name).self"]
            if let parent = declaration.inheritanceClause?.inheritedTypes.first?.type.trimmed { arguments.append("parent: \(parent).self") }
            arguments += marker.arguments(labeled: "isAbstract", "originalName", "configurations", "hashModifier")
            for (label, clause) in [("uniquenessConstraints", "Unique"), ("indexes", "Index")] {
                let lists = clauses(clause)
                if !lists.isEmpty { arguments.append("\(label): [\(lists.joined(separator: ", "))]") }
            }
            let list = properties.map { "\n            \($0.declared(in: name))," }.joined()
            return """
                \(raw: access)override class var entityDeclaration: EntityDeclaration? {
                    EntityDeclaration(
                        \(raw: arguments.joined(separator: ", ")),
                        properties: [\(raw: list)
                        ])
                }
                """
        }

        /// Returns the lists of names of all clauses of a kind.
        private func clauses(_ clause: String) -> [String] {
            declaration.memberBlock.members.flatMap { member -> [String] in
                guard let expansion = member.decl.as(MacroExpansionDeclSyntax.self), expansion.macroName.text == clause else { return [] }
                return expansion.arguments.compactMap { $0.expression.as(ArrayExprSyntax.self) }.map { array in
                    let names = array.elements.compactMap { $0.expression.clauseNames?.joined(separator: ".") }
                    return "[" + names.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
                }
            }
        }

        /// The code that sets the computed initial values of each object; `nil` for none.
        var initialValues: DeclSyntax? {
            let computed = properties.filter { $0.computedInitialValue != nil }
            if computed.isEmpty { return nil }
            let assignments = computed.map { "    self.\($0.name) = \($0.computedInitialValue?.description ?? "nil")" }
            return """
                \(raw: access)override func setInitialValues() {
                    super.setInitialValues()
                \(raw: assignments.joined(separator: "\n"))
                }
                """
        }

        /// The initialiser that contexts call; `nil` if the class has it.
        var originInitializer: DeclSyntax? {
            let isWritten = declaration.memberBlock.members.contains { member in
                member.decl.as(InitializerDeclSyntax.self)?.signature.parameterClause.parameters.map(\.type.trimmedDescription) == [
                    "ObjectOrigin"
                ]
            }
            return isWritten ? nil : "\(raw: access)required init(_ origin: ObjectOrigin) { super.init(origin) }"
        }
    }
#endif
