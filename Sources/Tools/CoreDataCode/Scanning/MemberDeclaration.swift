/// A member of a type without `@NSManaged` that is accessed by name: a property, or a method that is a getter, or the
/// validation of a property, in Objective-C.
struct MemberDeclaration {
    enum Kind {
        /// A property, with its declared type, if any; readable by a plain getter without effects.
        case property(TypeSyntax?, isReadable: Bool)
        case getter(TypeSyntax)
        /// A method that validates a value in place: `func validateAge(_ value:
        /// AutoreleasingUnsafeMutablePointer<AnyObject?>) throws`.
        case validation
        /// A method with parameters and a result, which expressions of mapping models call; `_` where a parameter has no label.
        case method(labels: [String], isThrowing: Bool)
    }

    var name: String
    var kind: Kind
    var modifiers: PendingModifiers
    var scope: DeclarationScope
    var conditions: ConditionStack
}

extension TokenCursor {
    /// Reads a property after its keyword; `nil` if it has no name.
    mutating func takeProperty() -> (name: String, kind: MemberDeclaration.Kind)? {
        guard let name = takeName() else { return nil }
        let type = take(":") ? takeType() : nil
        // A complete type is followed by a body, a value, or another declaration.
        var isReadable = token.startsLine || isAtEnd || ["{", "=", "}", ";", ","].contains { isMark($0) }
        if take("{") {
            if isMark("@") { isReadable = false }
            if take(word: "get"), isWord("async") || isWord("throws") { isReadable = false }
        }
        return (name, .property(type, isReadable: isReadable))
    }

    /// Reads a method after its keyword; `nil` if it is not called by name.
    mutating func takeKeyedMethod() -> (name: String, kind: MemberDeclaration.Kind)? {
        guard let name = takeName(), take("(") else { return nil }
        if take(")") {
            guard kind == .arrow else { return nil }
            advance()
            return takeType().map { (name, .getter($0)) }
        }
        let parameters = takeList(to: ")") { cursor -> TypeSyntax.Element? in
            guard let label = cursor.takeName() else { return nil }
            _ = cursor.takeName()
            guard cursor.take(":"), let type = cursor.takeType() else { return nil }
            return .init(label: label, type: type)
        }
        guard let parameters else { return nil }
        let isThrowing = take(word: "throws")
        guard kind == .arrow else {
            let isValidation = parameters.count == 1 && parameters[0].label == "_" && parameters[0].type.isValidated
            return isValidation && isThrowing && !isMark("(") ? (name, .validation) : nil
        }
        advance()
        return takeType().map { _ in (name, .method(labels: parameters.map { $0.label ?? "_" }, isThrowing: isThrowing)) }
    }
}

extension TypeSyntax {
    /// Whether the type is a pointer to an object, as of a validating method.
    fileprivate var isValidated: Bool {
        guard case .named(let parts) = self, let pointer = parts.last else { return false }
        return ["AutoreleasingUnsafeMutablePointer", "UnsafeMutablePointer"].contains(pointer.name)
            && pointer.arguments == [.optional(.named("AnyObject"))]
    }

    /// The names of the types in it.
    var names: [String] {
        switch self {
        case .named(let parts): parts.map(\.name) + parts.flatMap(\.arguments).flatMap(\.names)
        case .array(let type), .optional(let type), .implicitlyUnwrapped(let type), .existential(let type), .metatype(let type, _):
            type.names
        case .dictionary(let key, let value): key.names + value.names
        case .tuple(let elements): elements.flatMap(\.type.names)
        case .function(let function): function.parameters.flatMap(\.names) + function.result.names
        case .composition(let types): types.flatMap(\.names)
        case .other: []
        }
    }
}
