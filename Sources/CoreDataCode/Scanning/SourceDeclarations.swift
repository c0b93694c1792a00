/// Who may use a declaration.
enum AccessLevel: Int, Comparable {
    case `private`, `fileprivate`, `internal`, package, `public`, open

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    init?(keyword: String) {
        switch keyword {
        case "private": self = .private
        case "fileprivate": self = .fileprivate
        case "internal": self = .internal
        case "package": self = .package
        case "public": self = .public
        case "open": self = .open
        default: return nil
        }
    }

    var keyword: String { "\(self)" }
}

/// An import of a file.
struct ImportDeclaration: Hashable {
    /// The attributes and what is imported, without an access level: `@preconcurrency import Shop`.
    var text: String
    var module: String
    var access: AccessLevel?
    var conditions: ConditionStack
}

/// A type that a file declares.
struct TypeDeclaration {
    enum Kind: String, Sendable {
        case `class` = "C"
        case `enum` = "O"
        case `struct` = "V"
        case `protocol` = "P"
        case alias = "a"
    }

    var name: String
    var kind: Kind
    var access: AccessLevel
    /// The names of the generic parameters.
    var parameters: [String]
    /// What it inherits; of an alias, what it stands for.
    var inherited: [TypeSyntax]
    /// The attributes as they are written.
    var attributes: [String] = []
    var scope: DeclarationScope
    var conditions: ConditionStack
    var place: SourceLocation
}

/// What a declaration stands in: the types and extensions around it, the outermost first.
struct DeclarationScope {
    /// A body of a type or of an extension.
    struct Level {
        /// The names of the type's parts, as an extension writes them; one of a type.
        var names: [String]
        var isExtension: Bool
        var access: AccessLevel?
        var parameters: [String] = []
        /// Whether an extension has conditions of its own, `where`.
        var isConstrained = false
        /// The attributes and modifiers before it.
        var modifiers = PendingModifiers()
        /// What an extension adds to the inheritance.
        var inherited: [TypeSyntax] = []
    }

    var levels: [Level] = []
    /// The file, and the module names that it imports.
    var file: Int = 0

    /// The access of a member that itself has this one, or says nothing of it.
    func access(ofMember own: AccessLevel?) -> AccessLevel {
        own ?? levels.last.flatMap { $0.isExtension ? $0.access : nil } ?? .internal
    }
}

/// A declaration with `@NSManaged`.
struct ManagedDeclaration {
    struct Parameter {
        var label: String?
        var name: String
        var type: TypeSyntax
    }

    enum Kind {
        case property(TypeSyntax)
        case function([Parameter], result: TypeSyntax?)
    }

    var name: String
    var kind: Kind
    /// What the declaration itself says; `nil` for nothing.
    var access: AccessLevel?
    var isStatic: Bool
    /// The name for Objective-C.
    var objectiveCName: String?
    /// Attributes and modifiers that the accessors need, too: isolation and availability.
    var attributes: [String]
    var scope: DeclarationScope
    var conditions: ConditionStack
    var place: SourceLocation
}

/// What is between the braces of a type or of an extension.
struct TypeBody {
    /// The bytes of the file.
    var range: Range<Int>
    var scope: DeclarationScope
}

/// What a file declares.
struct SourceDeclarations {
    var imports: [ImportDeclaration] = []
    var types: [TypeDeclaration] = []
    var managed: [ManagedDeclaration] = []
    /// The members of types without `@NSManaged` that are asked for by name.
    var members: [MemberDeclaration] = []
    /// Whether a type, an extension or an initializer says `nonisolated`, as it has to where everything is isolated that does not say so.
    var liftsIsolation = false
    /// The bodies, each after those that it contains.
    var bodies: [TypeBody] = []
}
