/// A member of a type without `@NSManaged` that objects may be asked for by name: a property, or a method that Objective-C takes for a
/// getter or for the validation of a property.
struct MemberDeclaration {
    enum Kind {
        /// A property, with the type that its declaration says; `nil` where the compiler finds it by the value.
        case property(TypeSyntax?)
        /// A method without parameters that returns a value.
        case getter
        /// A method that validates a value in its place: `func validateAge(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws`.
        case validation
    }

    var name: String
    var kind: Kind
    var modifiers: PendingModifiers
    var scope: DeclarationScope
    var conditions: ConditionStack
}

extension TokenCursor {
    /// Reads a property behind its keyword; `nil` where it has no name, or where its getter throws or waits.
    mutating func takeProperty() -> (name: String, type: TypeSyntax?)? {
        guard let name = takeName() else { return nil }
        let type = take(":") ? takeType() : nil
        if take("{"), take(word: "get"), isWord("async") || isWord("throws") { return nil }
        return (name, type)
    }

    /// Reads a method behind its keyword; `nil` where objects are not asked for it by name.
    mutating func takeKeyedMethod() -> (name: String, kind: MemberDeclaration.Kind)? {
        guard let name = takeName(), take("(") else { return nil }
        if take(")") { return kind == .arrow ? (name, .getter) : nil }
        guard take(word: "_"), takeName() != nil, take(":"), let type = takeType(), type.isValidated, take(")"), take(word: "throws"),
            kind != .arrow
        else { return nil }
        return (name, .validation)
    }
}

extension TypeSyntax {
    /// Whether a method that validates has the type's value: a pointer to an object.
    fileprivate var isValidated: Bool {
        guard case .named(let parts) = self, let pointer = parts.last else { return false }
        return ["AutoreleasingUnsafeMutablePointer", "UnsafeMutablePointer"].contains(pointer.name)
            && pointer.arguments == [.optional(.named("AnyObject"))]
    }
}
