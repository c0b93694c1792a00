#if Macros
    import SwiftDiagnostics
    import SwiftSyntax
    import SwiftSyntaxBuilder
    import SwiftSyntaxMacros

    /// `@Composite`: a structure declares the elements of a composite attribute.
    struct CompositeMacro: ExtensionMacro, MemberMacro {
        static func expansion(
            of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax, providingExtensionsOf type: some TypeSyntaxProtocol,
            conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
        ) throws -> [ExtensionDeclSyntax] {
            guard let composite = CompositeStructure(declaration) else {
                context.diagnose(Diagnostic(node: Syntax(node), message: CompositeDiagnostic.notAStructure))
                return []
            }
            for problem in composite.problems { context.diagnose(problem) }
            let elements = composite.elements.map { "\n        \($0.text)," }.joined()
            return [
                try ExtensionDeclSyntax(
                    """
                    extension \(type.trimmed): CompositeValue {
                        \(raw: composite.access)static let elements: [CompositeElement<\(type.trimmed)>] = [\(raw: elements)
                        ]
                    }
                    """)
            ]
        }

        static func expansion(
            of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax, conformingTo protocols: [TypeSyntax],
            in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            guard let composite = CompositeStructure(declaration), composite.needsInitializers else { return [] }
            let parameters = composite.elements.map { "\($0.name): \($0.type) = \($0.initialValue)" }.joined(separator: ", ")
            let assignments = composite.elements.map { "    self.\($0.name) = \($0.name)" }.joined(separator: "\n")
            var initializers: [DeclSyntax] = ["\(raw: composite.access)init() {}"]
            if !composite.elements.isEmpty {
                initializers.append("\(raw: composite.access)init(\(raw: parameters)) {\n\(raw: assignments)\n}")
            }
            return initializers
        }
    }

    /// A structure whose properties are the elements of a composite attribute.
    private struct CompositeStructure {
        struct Element {
            let name: String
            let type: String
            let initialValue: String
            /// The expression of the element.
            let text: String
        }

        /// The access level of generated members, with a trailing space.
        let access: String
        private(set) var elements: [Element] = []
        private(set) var problems: [Diagnostic] = []
        /// Whether the structure needs generated initialisers that are not private.
        let needsInitializers: Bool

        init?(_ declaration: some DeclGroupSyntax) {
            guard let structure = declaration.as(StructDeclSyntax.self) else { return nil }
            let access = structure.modifiers.accessPrefix
            self.access = access
            let isWritten = structure.memberBlock.members.contains { $0.decl.is(InitializerDeclSyntax.self) }
            needsInitializers = (access == "public " || access == "package ") && !isWritten
            for property in structure.memberBlock.members.compactMap({ $0.decl.as(VariableDeclSyntax.self) }) {
                guard ModelProperty.isStored(property) else { continue }
                add(property)
            }
        }

        private mutating func add(_ declaration: VariableDeclSyntax) {
            guard let property = ModelProperty(declaration) else {
                problems.append(Diagnostic(node: Syntax(declaration), message: CompositeDiagnostic.notAnElement))
                return
            }
            if !property.isOptional && property.initialValue == nil {
                problems.append(Diagnostic(node: property.nameSyntax, message: CompositeDiagnostic.withoutValue))
            }
            var text = "CompositeElement(\"\(property.plainName)\", \\.\(property.name.text))"
            if let marker = property.attributeMarker {
                if marker.unlabeledArguments.contains(where: { ["unique", "externalStorage", "derived"].contains($0.lastName) }) {
                    problems.append(Diagnostic(node: Syntax(marker), message: CompositeDiagnostic.option))
                }
                let options = marker.unlabeledArguments.map(\.trimmedDescription).joined(separator: ", ")
                let arguments = ["[\(options)]"] + marker.arguments(labeled: "originalName", "hashModifier")
                text += ".options(\(arguments.joined(separator: ", ")))"
            }
            elements.append(
                Element(
                    name: property.name.text, type: property.isOptional ? "\(property.type)?" : "\(property.type)",
                    initialValue: property.initialValue?.trimmedDescription ?? "nil", text: text))
        }
    }

    /// The errors of a composite value's structure.
    private enum CompositeDiagnostic: MacroMessage, DiagnosticMessage {
        case notAStructure, notAnElement, withoutValue, option

        var message: String {
            switch self {
            case .notAStructure: "@Composite is for structures"
            case .notAnElement: "an element of a composite value is a stored 'var' with a type of its own; mark what is none @Transient"
            case .withoutValue: "an element of a composite value has a default value, or is an optional"
            case .option: "an element of a composite attribute is neither unique by itself, nor kept beside the store, nor derived"
            }
        }
    }
#endif
