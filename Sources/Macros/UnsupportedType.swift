#if Macros
    import SwiftSyntax
    import SwiftSyntaxBuilder

    /// Types that no attribute and no relationship can have, as far as their text tells.
    enum UnsupportedType {
        /// Why a type cannot be kept; `nil` where it may.
        static func reason(_ type: TypeSyntax) -> String? {
            if type.is(FunctionTypeSyntax.self) || type.is(AttributedTypeSyntax.self) { return "a function is no value" }
            if type.is(TupleTypeSyntax.self) { return "a tuple is not Codable; make it a structure that is" }
            if type.is(SomeOrAnyTypeSyntax.self) || ["Any", "AnyObject"].contains(type.trimmedDescription) {
                return "a store keeps values of one type that is known"
            }
            if type.is(OptionalTypeSyntax.self) { return "an optional of an optional" }
            return nil
        }
    }

    extension ModelProperty {
        /// Members of managed objects, which a property cannot be named after.
        static let takenNames: Set<String> = [
            "managedObjectContext", "objectID", "entity", "entityDeclaration", "isInserted", "isUpdated", "isDeleted", "hasChanges",
            "isFault",
            "hasPersistentChangedValues", "description", "hashValue",
        ]

        /// Whether a type is known by its name to be an attribute's.
        static func isKnownAttributeType(_ type: TypeSyntax) -> Bool { knownTypes.contains(type.trimmedDescription) }

        /// The type as it stands in a declaration.
        func type(of declaration: VariableDeclSyntax) -> Syntax {
            declaration.bindings.first?.typeAnnotation.map { Syntax($0.type) } ?? Syntax(declaration)
        }
    }
#endif
