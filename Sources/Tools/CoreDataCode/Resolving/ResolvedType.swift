/// A type's own name: its module, and its enclosing types.
struct NominalName: Hashable, Sendable {
    struct Step: Hashable, Sendable {
        var name: String
        var kind: TypeDeclaration.Kind
        /// The module of the declaring extension, if it differs from the extended type's.
        var extensionModule: String?
    }

    var module: String
    var steps: [Step]

    var path: String { steps.map(\.name).joined(separator: ".") }
    var kind: TypeDeclaration.Kind { steps.last?.kind ?? .struct }
    /// Whether it is a type of Swift's library or of Foundation.
    var isOfLibrary: Bool { ["Swift", "Foundation", "FoundationEssentials"].contains(module) }
    var parent: NominalName? { steps.count > 1 ? NominalName(module: module, steps: Array(steps.dropLast())) : nil }

    func nested(_ step: Step) -> NominalName { NominalName(module: module, steps: steps + [step]) }
}

extension NominalName {
    init(_ module: String, _ name: String, _ kind: TypeDeclaration.Kind) {
        self.init(module: module, steps: [Step(name: name, kind: kind)])
    }
}

/// A type with resolved aliases, abbreviations and names.
indirect enum ResolvedType: Hashable, Sendable {
    struct Element: Hashable, Sendable {
        var label: String?
        var type: ResolvedType
    }

    struct Function: Hashable, Sendable {
        var parameters: [ResolvedType]
        var result: ResolvedType
        var isThrowing = false
        var isSendable = false
        var isOnMainActor = false
        var isEscaping = true
    }

    /// A type with the generic arguments of each of its steps.
    case nominal(NominalName, [[ResolvedType]])
    case optional(ResolvedType)
    case tuple([Element])
    case function(Function)
    /// `any` of some protocols; of none and no object, `Any`.
    case existential([NominalName], superclass: ResolvedType?, isObject: Bool)
    case metatype(ResolvedType)
    case existentialMetatype(ResolvedType)

    static func nominal(_ name: NominalName) -> ResolvedType { .nominal(name, name.steps.map { _ in [] }) }

    static func swift(_ name: String, _ kind: TypeDeclaration.Kind, _ arguments: [ResolvedType] = []) -> ResolvedType {
        .nominal(NominalName("Swift", name, kind), [arguments])
    }

    static let any = ResolvedType.existential([], superclass: nil, isObject: false)
    static let anyObject = ResolvedType.existential([], superclass: nil, isObject: true)

    /// The non-optional type.
    var unwrapped: ResolvedType { if case .optional(let type) = self { type.unwrapped } else { self } }

    /// The module and the name of a type, `Foundation.NSSet`, without its arguments.
    var nominalName: NominalName? { if case .nominal(let name, _) = self { name } else { nil } }

    /// The type of the elements of a collection of one type.
    var element: ResolvedType? {
        guard case .nominal(let name, let arguments) = self, name.module == "Swift", ["Set", "Array"].contains(name.path) else {
            return nil
        }
        return arguments.last?.first
    }
}
