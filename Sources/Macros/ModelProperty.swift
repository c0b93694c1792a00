#if Macros
    import SwiftSyntax
    import SwiftSyntaxBuilder

    /// A stored property of a model class, by its declaration.
    struct ModelProperty {
        let declaration: VariableDeclSyntax
        let name: TokenSyntax
        /// The non-optional type.
        let type: TypeSyntax
        let isOptional: Bool
        let initialValue: ExprSyntax?

        /// Creates a stored property; `nil` for other declarations, and those with a problem.
        init?(_ declaration: VariableDeclSyntax) {
            guard ModelProperty.isStored(declaration), ModelProperty.problem(declaration) == nil, let binding = declaration.bindings.first,
                let pattern = binding.pattern.as(IdentifierPatternSyntax.self),
                let type = binding.typeAnnotation?.type.trimmed ?? binding.initializer.flatMap({ InferredType.type(of: $0.value) })
            else { return nil }
            self.declaration = declaration
            name = pattern.identifier.trimmed
            (self.type, isOptional) = ModelProperty.unwrapped(type)
            initialValue = binding.initializer.flatMap { $0.value.is(NilLiteralExprSyntax.self) ? nil : $0.value.trimmed }
        }

        /// Returns whether a declaration is a stored property of objects that is not marked transient.
        static func isStored(_ declaration: VariableDeclSyntax) -> Bool {
            let excluded: [Keyword] = [.static, .class, .override]
            let isExcluded = declaration.modifiers.contains { modifier in excluded.contains { modifier.name.tokenKind == .keyword($0) } }
            return !isExcluded && declaration.marker("Transient") == nil && !declaration.isComputed
        }

        /// Returns what keeps a property from being stored.
        static func problem(_ declaration: VariableDeclSyntax) -> ModelDiagnostic? {
            func has(_ keyword: Keyword) -> Bool { declaration.modifiers.contains { $0.name.tokenKind == .keyword(keyword) } }
            if declaration.bindings.count > 1 { return .several }
            guard let binding = declaration.bindings.first, binding.pattern.is(IdentifierPatternSyntax.self) else { return .pattern }
            if declaration.bindingSpecifier.tokenKind == .keyword(.let) { return .constant }
            if has(.lazy) { return .lazy }
            if has(.weak) || has(.unowned) { return .weak }
            if binding.accessorBlock != nil { return .observers }
            if binding.typeAnnotation == nil, binding.initializer.flatMap({ InferredType.type(of: $0.value) }) == nil { return .untyped }
            return nil
        }

        private static func unwrapped(_ type: TypeSyntax) -> (TypeSyntax, isOptional: Bool) {
            if let optional = type.as(OptionalTypeSyntax.self) { return (optional.wrappedType.trimmed, true) }
            if let optional = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return (optional.wrappedType.trimmed, true) }
            if let argument = type.argument(of: ["Optional"]) { return (argument, true) }
            return (type, false)
        }

        // MARK: - Markers

        var attributeMarker: AttributeSyntax? { declaration.marker("Attribute") }
        var relationshipMarker: AttributeSyntax? { declaration.marker("Relationship") }
        var isOrdered: Bool { relationshipMarker?.unlabeledArguments.contains { $0.lastName == "ordered" } ?? false }

        /// Whether the store computes the value.
        var isDerived: Bool { attributeMarker?.unlabeledArguments.contains { $0.lastName == "derived" } ?? false }

        /// The type of an array's or a set's elements.
        var elementType: TypeSyntax? {
            if let array = type.as(ArrayTypeSyntax.self) { return array.element.trimmed }
            return type.argument(of: ["Array", "Set"])
        }

        var nameSyntax: Syntax { declaration.bindings.first.map { Syntax($0.pattern) } ?? Syntax(declaration) }

        /// The initial value if it is the same for all objects.
        var constantInitialValue: ExprSyntax? { initialValue.flatMap { InferredType.isConstant($0) ? $0 : nil } }
        /// The initial value if each object computes its own.
        var computedInitialValue: ExprSyntax? { isDerived ? nil : initialValue.flatMap { InferredType.isConstant($0) ? nil : $0 } }
    }

    extension TypeSyntax {
        /// Returns the one argument of a generic type of the standard library's, possibly a qualified one.
        func argument(of names: Set<String>) -> TypeSyntax? {
            var clause: GenericArgumentClauseSyntax?
            if let named = self.as(IdentifierTypeSyntax.self), names.contains(named.name.text) {
                clause = named.genericArgumentClause
            } else if let member = self.as(MemberTypeSyntax.self), member.baseType.trimmedDescription == "Swift",
                names.contains(member.name.text)
            {
                clause = member.genericArgumentClause
            }
            return clause?.arguments.first.map { TypeSyntax("\($0.argument.trimmed)") }
        }
    }

    extension VariableDeclSyntax {
        /// Whether the property has a getter of its own.
        var isComputed: Bool {
            bindings.contains { binding in
                guard let accessors = binding.accessorBlock?.accessors else { return false }
                guard case .accessors(let list) = accessors else { return true }
                return !list.allSatisfy { [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind) }
            }
        }

        /// Returns the attribute with a name, which may be qualified with its module.
        func marker(_ name: String) -> AttributeSyntax? {
            for case .attribute(let attribute) in attributes where attribute.isNamed(name) { return attribute }
            return nil
        }
    }

    extension AttributeSyntax {
        func isNamed(_ name: String) -> Bool {
            let text = attributeName.trimmedDescription
            return text == name || text == "Strata.\(name)"
        }

        var labeledArguments: [LabeledExprSyntax] {
            guard case .argumentList(let arguments) = arguments else { return [] }
            return Array(arguments)
        }

        var unlabeledArguments: [ExprSyntax] { labeledArguments.filter { $0.label == nil }.map(\.expression) }

        /// Returns the code of the arguments with some labels, in the order of those.
        func arguments(labeled labels: String...) -> [String] {
            labels.compactMap { label in argument(label).map { "\(label): \($0.trimmed)" } }
        }

        func argument(_ label: String) -> ExprSyntax? { labeledArguments.first { $0.label?.text == label }?.expression }
    }

    extension ExprSyntax {
        /// The last name of `.ordered`, `Option.ordered` or `.type(.integer16)`.
        var lastName: String? {
            let called = self.as(FunctionCallExprSyntax.self)?.calledExpression ?? self
            return called.as(MemberAccessExprSyntax.self)?.declName.baseName.text
        }
    }
#endif
