enum AccessLevel: Comparable, CaseIterable {
    case `private`, `fileprivate`, `internal`, package, `public`, open

    private static let levels = Dictionary(uniqueKeysWithValues: allCases.map { ($0.keyword, $0) })

    init?(keyword: String) {
        guard let level = AccessLevel.levels[keyword] else { return nil }
        self = level
    }

    var keyword: String { "\(self)" }
}

struct ImportDeclaration: Hashable {
    /// The attributes and the import, without an access level: `@preconcurrency import Shop`.
    var text: String
    var module: String
    var access: AccessLevel?
    var conditions: ConditionStack
}

struct TypeDeclaration {
    enum Kind: String, Sendable {
        case `class` = "C"
        case `enum` = "O"
        case `struct` = "V"
        case `protocol` = "P"
        case alias = "a"

        /// - Parameter keyword: The keyword of a declaration; an actor is a class.
        init(keyword: String) {
            switch keyword {
            case "enum": self = .enum
            case "struct": self = .struct
            case "protocol": self = .protocol
            case "typealias": self = .alias
            default: self = .class
            }
        }
    }

    var name: String
    var kind: Kind
    var access: AccessLevel
    var parameters: [String]
    /// The inherited types; of an alias, its underlying type.
    var inherited: [TypeSyntax]
    var attributes: [String]
    var scope: DeclarationScope
    var conditions: ConditionStack
}

/// The scope of a declaration: the enclosing types and extensions, the outermost first.
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
        var modifiers = PendingModifiers()
        /// The types that an extension adds to the inheritance.
        var inherited: [TypeSyntax] = []
    }

    var levels: [Level] = []
    /// The file, and the module names that it imports.
    var file: Int = 0

    /// Returns the effective access of a member with this one, or none, of its own.
    func access(ofMember own: AccessLevel?) -> AccessLevel {
        own ?? levels.last.flatMap { $0.isExtension ? $0.access : nil } ?? .internal
    }
}

struct ManagedDeclaration {
    enum Kind {
        case property(TypeSyntax)
        case function([TypeSyntax.Element], result: TypeSyntax?)
    }

    var name: String
    var kind: Kind
    var modifiers: PendingModifiers
    var scope: DeclarationScope
    var conditions: ConditionStack
    var location: SourceLocation
}

/// The declarations of a file.
struct SourceDeclarations {
    var imports: [ImportDeclaration] = []
    var types: [TypeDeclaration] = []
    var managed: [ManagedDeclaration] = []
    /// The members of types without `@NSManaged` that are accessed by name.
    var members: [MemberDeclaration] = []
    /// Whether a type, an extension or an initializer is `nonisolated`, as needed under default isolation.
    var liftsIsolation = false
    /// The names of classes within functions that have properties with `@NSManaged`.
    var localClasses: [SourceLocation] = []
    static let localClassMessage = "no accessors can be generated for a class within a function: declare it outside"
    /// The parts between the braces of types and of extensions, inner ones first.
    var bodies: [(range: Range<Int>, scope: DeclarationScope)] = []
}
