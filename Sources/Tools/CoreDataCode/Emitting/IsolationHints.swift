/// The isolation by actors in the sources of a module, as far as syntax determines it.
///
/// Otherwise code counts as isolated: generated code has to compile.
struct IsolationHints {
    /// Attributes that do not isolate.
    private static let harmless: Set<String> = [
        "GKInspectable", "IBInspectable", "NSManaged", "available", "discardableResult", "dynamicMemberLookup", "frozen", "inlinable",
        "inline", "nonobjc", "objc", "objcMembers", "usableFromInline",
    ]

    /// Whether code without isolation attributes may be isolated.
    let isolatesByDefault: Bool
    /// The names of protocols whose conformers are isolated.
    private var protocols: Set<String> = []
    /// The names of members that a protocol isolates.
    private var requirements: Set<String> = []

    init(_ files: [SourceDeclarations]) {
        isolatesByDefault = files.contains(where: \.liftsIsolation)
        let declared = files.flatMap(\.types).filter { $0.kind == .protocol }
        protocols = Set(declared.filter { !IsolationHints.areHarmless($0.attributes) }.map(\.name))
        var count = -1
        while count != protocols.count {
            count = protocols.count
            for declaration in declared where isIsolating(declaration.inherited) { protocols.insert(declaration.name) }
        }
        let names = Set(declared.map(\.name))
        for member in files.flatMap(\.members) where !IsolationHints.areHarmless(member.modifiers.attributes) {
            if let type = member.scope.levels.last?.names.last, names.contains(type) { requirements.insert(member.name) }
        }
    }

    /// Returns whether attributes isolate nothing; an unknown one may be an actor's.
    static func areHarmless(_ attributes: [String]) -> Bool {
        attributes.allSatisfy { text in
            harmless.contains(String(text.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" }))
        }
    }

    /// Returns whether conformance to one of some types isolates the conforming type.
    func isIsolating(_ inherited: [TypeSyntax]) -> Bool { inherited.contains { !protocols.isDisjoint(with: $0.names) } }

    /// Returns whether a protocol isolates members of a name.
    func isIsolating(memberNamed name: String) -> Bool { requirements.contains(name) }
}
