/// A type as it is written.
indirect enum TypeSyntax: Hashable {
    /// A part of the name of a type, with its generic arguments.
    struct Part: Hashable {
        var name: String
        var arguments: [TypeSyntax] = []
    }

    struct Element: Hashable {
        var label: String?
        var type: TypeSyntax
    }

    struct Function: Hashable {
        var parameters: [TypeSyntax]
        var result: TypeSyntax
        /// The names of its attributes; `escaping` of a parameter's.
        var attributes: [String]
        var isAsync = false
        var isThrowing = false
    }

    case named([Part])
    case array(TypeSyntax)
    case dictionary(TypeSyntax, TypeSyntax)
    case optional(TypeSyntax)
    /// `T!`
    case implicitlyUnwrapped(TypeSyntax)
    case tuple([Element])
    case function(Function)
    case composition([TypeSyntax])
    /// `any P`
    case existential(TypeSyntax)
    case metatype(TypeSyntax, isProtocol: Bool)
    /// Any other type, which no property of an object has.
    case other(String)

    static func named(_ name: String) -> TypeSyntax { .named([Part(name: name)]) }
}
