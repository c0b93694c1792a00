import StrataModelCode

/// Writes the table of what Core Data finds by name in the classes of a module: with `@objc` it does so on Apple's systems, and here
/// nothing of a class is known by its name.
struct KeyedMembers {
    private let resolver: TypeResolver
    private let module: String
    private let hints: IsolationHints
    private let files: [(file: SourceFile, declarations: SourceDeclarations)]

    init(_ resolver: TypeResolver, module: String, _ files: [(file: SourceFile, declarations: SourceDeclarations)]) {
        self.resolver = resolver
        self.module = module
        self.files = files
        hints = IsolationHints(files.map(\.declarations))
    }

    /// Writes the table, which a module without such members does without.
    func generate(_ part: inout CodePart) {
        for (file, declarations) in files {
            // An alias of a file may have another meaning in the next one.
            var owners: [String: NominalName?] = [:]
            for member in declarations.members where isReachable(member) {
                let path = member.scope.levels.flatMap(\.names).joined(separator: ".")
                let owner = owners[path] ?? self.owner(of: member.scope)
                owners[path] = .some(owner)
                guard let owner, isExposed(member, owner), !isIsolated(member, owner), let entry = entry(member, owner) else { continue }
                part.contribute(file.path)
                let conditions = member.conditions.texts
                part.members[code(owner), default: []] +=
                    conditions.map { "#if \($0)" } + [entry] + conditions.map { _ in "#endif" }
            }
        }
    }

    private func code(_ owner: NominalName) -> String { ResolvedType.nominal(owner).code(in: module) { resolver.declares($0) } }

    private func entry(_ member: MemberDeclaration, _ owner: NominalName) -> String? {
        guard let name = SwiftName.identifier(member.name) else { return nil }
        let key = SwiftName.literal(member.modifiers.objectiveCName ?? member.name)
        let made = "\(KeyedMembers.prefix(resolver))ManagedMember(\(code(owner)).self"
        switch member.kind {
        case .property: return "list.append(\(made), \(key), \\.\(name)))"
        case .getter(let syntax):
            // The type tells it from others of its name.
            guard let type = try? resolver.resolve(syntax, in: member.scope) else { return nil }
            return "list.append(\(made), \(key)) { $0.\(name)() as \(type.code(in: module) { resolver.declares($0) }) })"
        case .validation:
            let selector = member.modifiers.objectiveCName ?? "\(member.name):error:"
            guard selector.hasPrefix("validate"), selector.hasSuffix(":error:"), selector.count > 15 else { return nil }
            let property = String(selector.dropFirst(8).dropLast(7))
            return "list.append(unsafe \(made), validating: \(SwiftName.literal(property))) { try unsafe $0.\(name)($1) })"
        }
    }

    /// What tells CoreData's types from the module's own of the same name.
    static func prefix(_ resolver: TypeResolver) -> String {
        resolver.declares("ManagedMember") || resolver.declares("ManagedMemberTable") ? "CoreData." : ""
    }

    // MARK: - Which ones

    /// Whether any code of a file of the module other than the member's own may use it.
    private func isReachable(_ member: MemberDeclaration) -> Bool {
        let modifiers = member.modifiers
        let access = modifiers.access ?? member.scope.levels.last.flatMap { $0.isExtension ? $0.access : nil } ?? .internal
        // The class that is overridden has the member in the table, too.
        guard access > .fileprivate, !modifiers.isStatic, !modifiers.isOverride, !modifiers.isUnsafe, !member.conditions.isForObjectiveC,
            member.scope.levels.allSatisfy({ !$0.isConstrained && $0.parameters.isEmpty })
        else { return false }
        if case .property(let type, let isReadable) = member.kind {
            let names = type?.names ?? []
            if !isReadable || names.contains(where: { $0.hasPrefix("Unsafe") || $0 == "OpaquePointer" }) { return false }
        }
        return !(modifiers.attributes + member.scope.levels.flatMap(\.allAttributes)).contains(where: KeyedMembers.restricts)
    }

    /// Whether an attribute warns whoever uses what it stands before, or forbids it.
    private static func restricts(_ attribute: String) -> Bool {
        attribute.hasPrefix("@available")
            && ["unavailable", "deprecated", "obsoleted", "noasync"].contains { attribute.place(of: $0) != nil }
    }

    /// The class that a scope is one of, where it is a managed object's of the module.
    private func owner(of scope: DeclarationScope) -> NominalName? {
        guard let owner = resolver.context(of: scope), owner.module == module, resolver.isManagedObject(owner) == true,
            resolver.access(of: owner) > .fileprivate,
            // Behind a dot these mean something else, in backticks as well.
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
        return owner
    }

    /// Whether Objective-C knows a member, by an attribute of its own, of its extension, or of its class or one that that inherits.
    private func isExposed(_ member: MemberDeclaration, _ owner: NominalName) -> Bool {
        if member.modifiers.attributes.contains("@nonobjc") { return false }
        if member.modifiers.isExposed { return true }
        let attributes = member.scope.levels.last?.allAttributes ?? []
        if attributes.contains("@objc") { return true }
        if attributes.contains("@nonobjc") || !isRepresentable(member) { return false }
        return lineage(of: owner).contains { declarations(of: $0).contains { $0.attributes.contains("@objcMembers") } }
    }

    /// Whether Objective-C has the type of a member; true of one that is not written.
    private func isRepresentable(_ member: MemberDeclaration) -> Bool {
        let syntax: TypeSyntax
        switch member.kind {
        case .property(let type?, _), .getter(let type): syntax = type
        case .property(nil, _), .validation: return true
        }
        switch try? resolver.resolve(syntax, in: member.scope).unwrapped {
        case .nominal(let name, _): return name.kind == .class || !resolver.isDeclared(name)
        case .existential: return true
        default: return false
        }
    }

    /// Whether an actor may isolate a member: who finds it by its name is on no actor.
    private func isIsolated(_ member: MemberDeclaration, _ owner: NominalName) -> Bool {
        guard IsolationHints.areHarmless(member.modifiers.attributes) else { return true }
        if member.modifiers.accessorAttributes.contains("nonisolated") { return false }
        guard let level = member.scope.levels.last, IsolationHints.areHarmless(level.allAttributes), !hints.isIsolating(level.inherited),
            !hints.isIsolating(memberNamed: member.name)
        else { return true }
        if hints.isolatesByDefault && !level.allAttributes.contains("nonisolated") { return true }
        return lineage(of: owner).flatMap(declarations).contains {
            !IsolationHints.areHarmless($0.attributes) || hints.isIsolating($0.inherited)
        }
    }

    private func declarations(of name: NominalName) -> [TypeDeclaration] {
        resolver.types.entries(name.module, name.path).map(\.declaration)
    }

    /// A class and those that it inherits.
    private func lineage(of owner: NominalName) -> [NominalName] {
        var classes: [NominalName] = []
        var current: NominalName? = owner
        while let name = current, !classes.contains(name) {
            classes.append(name)
            current = resolver.superclass(of: name)
        }
        return classes
    }
}
