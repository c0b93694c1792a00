import StrataModelCode

/// Writes the table of what Core Data finds by name in the classes of a module: with `@objc` it does so on Apple's systems, and here
/// nothing of a class is known by its name.
struct KeyedMembers {
    private let resolver: TypeResolver
    private let module: String

    init(_ resolver: TypeResolver, module: String) {
        self.resolver = resolver
        self.module = module
    }

    /// Writes the table, which a module without such members does without.
    ///
    /// - Parameter files: The files of the module, with what they declare.
    func generate(_ files: [(file: SourceFile, declarations: SourceDeclarations)], _ part: inout CodePart) {
        var owners: [String: NominalName?] = [:]
        for (file, declarations) in files {
            for member in declarations.members {
                guard isReachable(member) else { continue }
                let path = member.scope.levels.flatMap(\.names).joined(separator: ".")
                let owner = owners[path] ?? self.owner(of: member.scope)
                owners[path] = .some(owner)
                guard let owner, isExposed(member, owner), !isIsolated(member, owner), let entry = entry(member, owner) else { continue }
                part.contribute(file.path)
                let conditions = member.conditions.texts
                part.members += conditions.map { "#if \($0)" } + ["members.append(\(entry))"] + conditions.map { _ in "#endif" }
            }
        }
    }

    private func entry(_ member: MemberDeclaration, _ owner: NominalName) -> String? {
        guard let name = SwiftName.identifier(member.name) else { return nil }
        let type = ResolvedType.nominal(owner).code(in: module) { resolver.declares($0) }
        let key = member.modifiers.objectiveCName ?? member.name
        switch member.kind {
        case .property: return "ManagedMember(\(type).self, \(SwiftName.literal(key)), \\.\(name))"
        case .getter: return "ManagedMember(\(type).self, \(SwiftName.literal(key))) { $0.\(name)() }"
        case .validation:
            let selector = member.modifiers.objectiveCName ?? "\(member.name):error:"
            guard selector.hasPrefix("validate"), selector.hasSuffix(":error:"), selector.count > 15 else { return nil }
            let property = String(selector.dropFirst(8).dropLast(7))
            return "ManagedMember(\(type).self, validating: \(SwiftName.literal(property))) { try unsafe $0.\(name)($1) }"
        }
    }

    // MARK: - Which ones

    /// Whether a file of the module other than the member's own may use it.
    private func isReachable(_ member: MemberDeclaration) -> Bool {
        let access = member.modifiers.access ?? member.scope.levels.last.flatMap { $0.isExtension ? $0.access : nil } ?? .internal
        return access > .fileprivate && !member.modifiers.isStatic && !member.modifiers.isRestricted && !member.conditions.isForObjectiveC
            && member.scope.levels.allSatisfy { !$0.isConstrained && $0.parameters.isEmpty }
    }

    /// The class that a scope is one of, where it is a managed object's of the module.
    private func owner(of scope: DeclarationScope) -> NominalName? {
        guard let owner = resolver.context(of: scope), owner.module == module, resolver.isManagedObject(owner) == true,
            resolver.access(of: owner) > .fileprivate
        else { return nil }
        var outer: NominalName? = owner
        while let type = outer {
            if declarations(of: type).contains(where: { !$0.parameters.isEmpty }) { return nil }
            outer = type.parent
        }
        return owner
    }

    /// Whether Objective-C knows a member, by an attribute of its own, of its extension, or of its class or one that that inherits.
    private func isExposed(_ member: MemberDeclaration, _ owner: NominalName) -> Bool {
        if member.modifiers.attributes.contains("@nonobjc") { return false }
        if member.modifiers.isExposed || member.scope.levels.last?.exposesMembers == true { return true }
        return lineage(of: owner).contains { declarations(of: $0).contains { $0.attributes.contains("@objcMembers") } }
    }

    /// Whether an actor isolates a member: who finds it by its name is on no actor.
    private func isIsolated(_ member: MemberDeclaration, _ owner: NominalName) -> Bool {
        // An actor says in its name that it is one.
        func isolates(_ attribute: String) -> Bool { attribute.prefix { $0 != "(" }.hasSuffix("Actor") }
        if member.modifiers.accessorAttributes.contains("nonisolated") { return false }
        return member.modifiers.attributes.contains(where: isolates) || member.scope.levels.flatMap(\.attributes).contains(where: isolates)
            || lineage(of: owner).contains { declarations(of: $0).flatMap(\.attributes).contains(where: isolates) }
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
