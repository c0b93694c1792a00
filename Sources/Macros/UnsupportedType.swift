#if Macros
    import SwiftSyntax
    import SwiftSyntaxBuilder

    /// Types that are invalid for attributes and relationships, as far as syntax determines it.
    enum UnsupportedType {
        /// Returns why a type cannot be stored; `nil` if it may.
        static func reason(_ type: TypeSyntax) -> String? {
            if type.is(FunctionTypeSyntax.self) || type.is(AttributedTypeSyntax.self) { return "a function is no value" }
            if let tuple = type.as(TupleTypeSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first {
                return reason(only.type)
            }
            if type.is(TupleTypeSyntax.self) { return "a tuple is not Codable; make it a structure that is" }
            if type.is(SomeOrAnyTypeSyntax.self) || ["Any", "AnyObject"].contains(type.trimmedDescription) {
                return "a store keeps values of one type that is known"
            }
            if type.is(OptionalTypeSyntax.self) { return "an optional of an optional" }
            return nil
        }
    }

    extension ModelProperty {
        /// Members of managed objects, which are invalid names of properties.
        static let takenNames: Set<String> = [
            "managedObjectContext", "objectID", "entity", "entityDeclaration", "isInserted", "isUpdated", "isDeleted", "hasChanges",
            "isFault",
            "hasPersistentChangedValues", "description", "hashValue",
        ]

        /// Whether the name is a plain identifier without a meaning after a dot, which code can be derived from.
        var isNamedPlainly: Bool {
            let name = plainName
            return !["Self", "Type", "self", "init"].contains(name) && !name.unicodeScalars.contains { $0.isASCII && !Self.isPlain($0) }
        }

        private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
            scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
        }

        func type(of declaration: VariableDeclSyntax) -> Syntax {
            declaration.bindings.first?.typeAnnotation.map { Syntax($0.type) } ?? Syntax(declaration)
        }
    }
#endif
