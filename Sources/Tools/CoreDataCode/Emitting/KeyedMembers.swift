import StrataModelCode

/// Generates the table of the members that Core Data finds by name in the classes of a module: by `@objc` on Apple's
/// systems, while here there is no reflection by name.
struct KeyedMembers {
    private let resolver: TypeResolver
    private let hints: IsolationHints
    private let files: [(file: SourceFile, declarations: SourceDeclarations)]
    /// The names of the members of each class, by its path, that are exposed to Objective-C independently of overrides.
    private var exposed: [String: Set<String>] = [:]
    /// The module prefix of CoreData's types where the module declares types of the same names.
    private let prefix: String
    private let managed: [ManagedMember]

    /// A class, with cached results.
    private struct Owner {
        var code: String
        /// Whether it is a class of managed objects, and none of policies or managers of migrations.
        var isManaged: Bool
        /// Whether `@objcMembers` of it, or of a superclass, exposes its members.
        var exposesMembers: Bool
        var isIsolated: Bool
        /// The paths of its superclasses in the module.
        var ancestors: [String]
    }

    /// - Parameter managed: The members with `@NSManaged`.
    init(
        _ resolver: TypeResolver, _ files: [(file: SourceFile, declarations: SourceDeclarations)], managed: [ManagedMember]
    ) {
        self.resolver = resolver
        self.files = files
        self.managed = managed
        hints = IsolationHints(files.map(\.declarations))
        prefix = ["ManagedMember", "ManagedFunction", "ManagedMemberTable"].contains { resolver.declares($0) } ? "CoreData." : ""
        for member in managed { exposed[member.owner.path, default: []].insert(member.declaration.name) }
        for member in files.flatMap(\.declarations.members) where member.modifiers.isExposed {
            if let owner = resolver.context(of: member.scope) { exposed[owner.path, default: []].insert(member.name) }
        }
    }

    /// Generates the table, if the module has such members.
    func generate(_ part: inout CodePart) {
        part.tablePrefix = prefix
        for (file, declarations) in files {
            // An alias may have another meaning in each file.
            var owners: [String: Owner?] = [:]
            for member in declarations.members where isReachable(member) {
                let path = member.scope.levels.flatMap(\.names).joined(separator: ".")
                let owner = owners[path] ?? self.owner(of: member.scope)
                owners[path] = .some(owner)
                guard let owner, isExposed(member, owner), !isIsolated(member, owner), let entry = entry(member, owner) else { continue }
                part.contribute(file.path)
                let table: WritableKeyPath<CodePart, [String: [String]]> = owner.isManaged ? \.members : \.functions
                part[keyPath: table][owner.code, default: []] += member.conditions.around([entry])
            }
        }
        for member in managed { nameKeyPath(member, &part) }
    }

    /// Generates the name of a property's key path where reading it does not show the name: of a type without samples.
    private func nameKeyPath(_ member: ManagedMember, _ part: inout CodePart) {
        let declaration = member.declaration
        guard case .property(let type) = member.kind, AccessorKind.kind(of: type, resolver).kind.hasNoSample,
            let name = SwiftName.identifier(declaration.name), !declaration.location.path.isEmpty
        else { return }
        let property = MemberDeclaration(
            name: declaration.name, kind: .property(nil, isReadable: true), modifiers: declaration.modifiers, scope: declaration.scope,
            conditions: declaration.conditions)
        guard isReachable(property), let owner = owner(of: declaration.scope), owner.isManaged, !isIsolated(property, owner) else { return }
        let entry = "list.append(\(prefix)ManagedMember(modelled: \(SwiftName.literal(member.key)), \\\(owner.code).\(name)))"
        part.contribute(declaration.location.path)
        part.members[owner.code, default: []] += declaration.conditions.around([entry])
    }

    private func entry(_ member: MemberDeclaration, _ owner: Owner) -> String? {
        guard let name = SwiftName.identifier(member.name) else { return nil }
        let key = SwiftName.literal(member.modifiers.objectiveCName ?? member.name)
        if !owner.isManaged { return function(member, name, owner) }
        let made = "\(prefix)ManagedMember(\(owner.code).self"
        switch member.kind {
        case .method: return nil
        case .property: return "list.append(\(made), \(key), \\.\(name)))"
        case .getter(let syntax):
            // The type distinguishes it from others of its name.
            guard let type = try? resolver.resolve(syntax, in: member.scope) else { return nil }
            return "list.append(\(made), \(key)) { $0.\(name)() as \(resolver.code(type)) })"
        case .validation:
            let selector = member.modifiers.objectiveCName ?? "\(member.name):error:"
            guard selector.hasPrefix("validate"), selector.hasSuffix(":error:"), selector.count > 15 else { return nil }
            let property = String(selector.dropFirst(8).dropLast(7))
            return "list.append(unsafe \(made), validating: \(SwiftName.literal(property))) { try unsafe $0.\(name)($1) })"
        }
    }

    /// Returns the entry of a method of a migration policy or manager, by its selector.
    private func function(_ member: MemberDeclaration, _ name: String, _ owner: Owner) -> String? {
        let made = "list.append(\(prefix)ManagedFunction(\(owner.code).self, "
        switch member.kind {
        case .getter:
            return "\(made)\(SwiftName.literal(member.modifiers.objectiveCName ?? member.name))) { object, _ in object.\(name)() })"
        case .method(let labels, let isThrowing):
            let selector = member.modifiers.objectiveCName ?? KeyedMembers.selector(member.name, labels, isThrowing)
            let arguments = labels.enumerated().map { index, label in
                (label == "_" ? "" : "\(SwiftName.identifier(label) ?? label): ") + "_managedArgument($1, \(index))"
            }
            return "\(made)\(SwiftName.literal(selector))) { try $0.\(name)(\(arguments.joined(separator: ", "))) })"
        case .property, .validation: return nil
        }
    }

    /// Returns the name that a method has in Objective-C.
    private static func selector(_ name: String, _ labels: [String], _ isThrowing: Bool) -> String {
        let first = labels.first.map { $0 == "_" ? "" : joint(name, $0) + $0.prefix(1).uppercased() + $0.dropFirst() } ?? ""
        return name + first + ":" + labels.dropFirst().map { ($0 == "_" ? "" : $0) + ":" }.joined() + (isThrowing ? "error:" : "")
    }

    /// Returns the words between a method's name and its first label in a selector: none around a preposition, as the compiler's.
    private static func joint(_ name: String, _ label: String) -> String {
        let first = label.prefix { !$0.isUppercase }
        let last = name.lastIndex(where: \.isUppercase).map { name[$0...] } ?? name[...]
        return [first, last].contains { prepositions.contains($0.lowercased()) } ? "" : "With"
    }

    private static let prepositions: Set<String> = [
        "above", "after", "along", "alongside", "as", "at", "before", "below", "by", "following", "for", "from", "given", "in", "including",
        "inside", "into", "matching", "of", "on", "passing", "preceding", "since", "to", "until", "using", "via", "when", "with", "within",
    ]

    // MARK: - Filters

    /// Returns whether code outside the member's own declaration, but in the file, may use it.
    private func isReachable(_ member: MemberDeclaration) -> Bool {
        let modifiers = member.modifiers
        guard member.scope.access(ofMember: modifiers.access) > .fileprivate, !modifiers.isStatic, !modifiers.isUnsafe,
            !member.conditions.isForObjectiveC,
            member.scope.levels.allSatisfy({ !$0.isConstrained && $0.parameters.isEmpty })
        else { return false }
        if case .property(let type, let isReadable) = member.kind {
            let names = type?.names ?? []
            if !isReadable || names.contains(where: { $0.hasPrefix("Unsafe") || $0 == "OpaquePointer" }) { return false }
        }
        return !(modifiers.attributes + member.scope.levels.flatMap(\.modifiers.attributes)).contains(where: KeyedMembers.restricts)
    }

    /// Returns whether an attribute makes uses of a declaration warnings or errors.
    private static func restricts(_ attribute: String) -> Bool {
        attribute.hasPrefix("@available")
            && ["unavailable", "deprecated", "obsoleted", "noasync"].contains { attribute.contains($0) }
    }

    /// The classes of CoreData whose methods expressions of mapping models call.
    private static let migrationClasses: Set<String> = ["NSEntityMigrationPolicy", "NSMigrationManager"]

    /// Returns the class of a scope, if it is a class of the module: of managed objects, or of policies or managers of migrations.
    private func owner(of scope: DeclarationScope) -> Owner? {
        guard let owner = resolver.context(of: scope), owner.module == resolver.module else { return nil }
        let isManaged = resolver.isManagedObject(owner) == true
        let lineage = resolver.lineage(of: owner)
        guard isManaged || lineage.last.map({ $0.module == "CoreData" && KeyedMembers.migrationClasses.contains($0.path) }) == true,
            resolver.access(of: owner) > .fileprivate,
            // After a dot these have another meaning, in backticks as well.
            !owner.steps.contains(where: { ["Type", "Protocol"].contains($0.name) })
        else { return nil }
        var outer: NominalName? = owner
        while let type = outer {
            let isUsable = declarations(of: type).allSatisfy {
                $0.parameters.isEmpty && !$0.attributes.contains(where: KeyedMembers.restricts)
            }
            guard isUsable else { return nil }
            outer = type.parent
        }
        let declared = lineage.flatMap(declarations)
        return Owner(
            code: resolver.code(.nominal(owner)), isManaged: isManaged,
            exposesMembers: declared.contains { $0.attributes.contains("@objcMembers") },
            isIsolated: declared.contains { !IsolationHints.areHarmless($0.attributes) || hints.isIsolating($0.inherited) },
            ancestors: lineage.dropFirst().filter { $0.module == resolver.module }.map(\.path))
    }

    /// Returns whether a member is exposed to Objective-C, by an attribute of its own, its extension or class.
    private func isExposed(_ member: MemberDeclaration, _ owner: Owner) -> Bool {
        if member.modifiers.attributes.contains("@nonobjc") { return false }
        // The overridden member determines it, which may be in a library.
        if member.modifiers.isOverride { return owner.ancestors.contains { exposed[$0]?.contains(member.name) == true } }
        if member.modifiers.isExposed { return true }
        let attributes = member.scope.levels.last?.modifiers.attributes ?? []
        if attributes.contains("@objc") { return true }
        return owner.exposesMembers && !attributes.contains("@nonobjc") && isRepresentable(member)
    }

    /// Returns whether Objective-C can represent the type of a member; true for one without a written type.
    private func isRepresentable(_ member: MemberDeclaration) -> Bool {
        let syntax: TypeSyntax
        switch member.kind {
        case .property(let type?, _), .getter(let type): syntax = type
        case .property(nil, _), .validation, .method: return true
        }
        switch try? resolver.resolve(syntax, in: member.scope).unwrapped {
        case .nominal(let name, _): return name.kind == .class || !resolver.isDeclared(name)
        case .existential: return true
        default: return false
        }
    }

    /// Returns whether an actor may isolate a member: calls by name run on no actor.
    private func isIsolated(_ member: MemberDeclaration, _ owner: Owner) -> Bool {
        guard IsolationHints.areHarmless(member.modifiers.attributes) else { return true }
        if member.modifiers.isNonisolated { return false }
        guard let level = member.scope.levels.last, IsolationHints.areHarmless(level.modifiers.attributes),
            !hints.isIsolating(level.inherited),
            !hints.isIsolating(memberNamed: member.name)
        else { return true }
        return owner.isIsolated || hints.isolatesByDefault && !level.modifiers.isNonisolated
    }

    private func declarations(of name: NominalName) -> [TypeDeclaration] {
        resolver.types.entries(name.module, name.path).map(\.declaration)
    }
}
