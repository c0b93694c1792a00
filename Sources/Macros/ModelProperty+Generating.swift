#if Macros
    import SwiftSyntax
    import SwiftSyntaxBuilder

    extension ModelProperty {
        /// The attribute types that are known by name.
        static let knownTypes: Set<String> = [
            "String", "Int", "Int16", "Int32", "Int64", "Double", "Float", "Bool", "Date", "Data", "UUID", "URL", "Decimal",
        ]

        /// The expression of the typed key.
        private var key: ExprSyntax {
            let text = "\"\(plainName)\""
            if relationshipMarker != nil {
                guard let elementType else { return "ToOne<\(type)>(\(raw: text))" }
                return isOrdered ? "ToManyOrdered<\(elementType)>(\(raw: text))" : "ToMany<\(elementType)>(\(raw: text))"
            }
            if ModelProperty.knownTypes.contains(type.trimmedDescription) { return "Key<\(type)>(\(raw: text))" }
            return "PropertyKeys.key(\(parenthesized).self, \(raw: text))"
        }

        /// The type as an expression: one of several words is in parentheses.
        private var parenthesized: TypeSyntax {
            type.is(IdentifierTypeSyntax.self) || type.is(MemberTypeSyntax.self) || type.is(ArrayTypeSyntax.self)
                || type.is(DictionaryTypeSyntax.self) ? type : "(\(type))"
        }

        var plainName: String { name.plainText }

        /// The name of the typed key, which only the class's own code uses.
        private var keyName: String { "_\(plainName)" }

        var keyDeclaration: DeclSyntax { "private static let \(raw: keyName) = \(key)" }

        var accessors: [AccessorDeclSyntax] {
            var arguments = isOptional ? "optional: Self.\(keyName)" : "required: Self.\(keyName)"
            if !isOptional, let initialValue { arguments += ", else: \(initialValue)" }
            let getter: AccessorDeclSyntax = "get { self[\(raw: arguments)] }"
            return isDerived ? [getter] : [getter, "set { self[\(raw: arguments)] = newValue }"]
        }

        /// Returns the expression that declares the property of an entity.
        func declared(in type: TokenSyntax) -> ExprSyntax {
            var arguments = ["\(type.text).\(keyName)", "isOptional: \(isOptional)"]
            if let constantInitialValue { arguments.append("default: \(constantInitialValue)") }
            if let relationshipMarker {
                for label in ["deleteRule", "inverse", "minimumModelCount", "maximumModelCount", "originalName", "hashModifier"] {
                    guard let value = relationshipMarker.argument(label), !value.is(NilLiteralExprSyntax.self) else { continue }
                    if label == "inverse" {
                        guard let last = value.keyPathNames?.last else { continue }
                        arguments.append("inverse: \"\(last)\"")
                        if let root = value.as(KeyPathExprSyntax.self)?.root { arguments.append("of: \(root.trimmed).self") }
                    } else {
                        arguments.append("\(label): \(value.trimmed)")
                    }
                }
            }
            if let attributeMarker {
                let options = attributeMarker.unlabeledArguments.map(\.trimmedDescription)
                if !options.isEmpty { arguments.append("options: [\(options.joined(separator: ", "))]") }
                arguments += attributeMarker.arguments(labeled: "originalName", "hashModifier")
            }
            return "DeclaredProperty(\(raw: arguments.joined(separator: ", "))).at(\\\(type).\(name))"
        }
    }

    extension TokenSyntax {
        /// The text without backticks.
        var plainText: String { text.hasPrefix("`") && text.hasSuffix("`") && text.count > 2 ? String(text.dropFirst().dropLast()) : text }
    }

    extension DeclModifierListSyntax {
        /// The access modifier of generated members, with a trailing space; empty for none.
        var accessPrefix: String {
            for modifier in self where modifier.detail == nil {
                switch modifier.name.tokenKind {
                case .keyword(.public), .keyword(.open): return "public "
                case .keyword(.package): return "package "
                case .keyword(.private), .keyword(.fileprivate): return "fileprivate "
                default: continue
                }
            }
            return ""
        }
    }

    extension ExprSyntax {
        /// The names in a clause: a property, or through optional ones an element of a composite attribute,
        /// `\.colors?.primary`; `nil` for anything else.
        var clauseNames: [String]? {
            guard let keyPath = self.as(KeyPathExprSyntax.self) else { return nil }
            var names: [String] = []
            var isOptional = true
            for component in keyPath.components {
                switch component.component {
                case .optional: isOptional = true
                case .property(let property) where isOptional:
                    names.append(property.declName.baseName.plainText)
                    isOptional = false
                default: return nil
                }
            }
            return names.isEmpty ? nil : names
        }

        /// The names of a key path's steps; `nil` for other expressions and steps.
        var keyPathNames: [String]? {
            guard let keyPath = self.as(KeyPathExprSyntax.self) else { return nil }
            var names: [String] = []
            for component in keyPath.components {
                guard case .property(let property) = component.component else { return nil }
                names.append(property.declName.baseName.plainText)
            }
            return names
        }
    }
#endif
