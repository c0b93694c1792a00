/// Finds the members with `@NSManaged` of a module, and warns of those without accessors.
struct MemberCollector {
    private let resolver: TypeResolver
    private(set) var members: [ManagedMember] = []
    private(set) var warnings: [SourceWarning] = []

    init(_ resolver: TypeResolver) { self.resolver = resolver }

    mutating func collect(_ file: SourceFile, _ declarations: SourceDeclarations) {
        warnings += declarations.localClasses.map { SourceWarning($0, SourceDeclarations.localClassMessage) }
        for declaration in declarations.managed where !declaration.conditions.isForObjectiveC {
            do throws(UnresolvedType) {
                members.append(try member(declaration, file))
            } catch {
                warnings.append(SourceWarning(declaration.location, error.message))
            }
        }
    }

    private func member(_ declaration: ManagedDeclaration, _ file: SourceFile) throws(UnresolvedType) -> ManagedMember {
        let name = declaration.name
        func refuse(_ reason: String) -> UnresolvedType { UnresolvedType("no accessors can be generated for '\(name)'\(reason)") }
        guard !declaration.modifiers.isStatic else {
            throw UnresolvedType("'\(name)' is a member of the class itself, which no model has: '@NSManaged' is for those of objects")
        }
        guard let owner = resolver.context(of: declaration.scope) else {
            let type = declaration.scope.levels.flatMap(\.names).joined(separator: ".")
            throw refuse(": \(TypeResolver.unknown(type)); declare the property in the class's module")
        }
        guard owner.kind == .class else {
            throw UnresolvedType("'\(name)' is no member of a class: only managed objects have such properties")
        }
        let levels = declaration.scope.levels
        if let parameter = levels.flatMap(\.parameters).first {
            throw refuse(" in a class that is generic over '\(parameter)': move it to one that is not")
        }
        if levels.contains(where: \.isConstrained) { throw refuse(" in an extension with 'where': move it to one without") }
        let around = resolver.access(of: owner)
        guard around > .fileprivate else {
            throw refuse(", since '\(owner.path)' is private to its file: make the class internal")
        }
        let access = declaration.scope.access(ofMember: declaration.modifiers.access)
        let member = ManagedMember(
            declaration: declaration, kind: try kind(declaration), owner: owner, access: min(access, around),
            discriminator: access > .fileprivate ? nil : FileDiscriminator.text(module: resolver.module, file: file.name))
        for type in member.types.flatMap(\.names) where resolver.access(of: type) <= .fileprivate {
            throw refuse(", since its type '\(type.path)' is private to its file: make it internal")
        }
        return member
    }

    private func kind(_ declaration: ManagedDeclaration) throws(UnresolvedType) -> ManagedMember.Kind {
        func resolve(_ syntax: TypeSyntax, isParameter: Bool = false) throws(UnresolvedType) -> ResolvedType {
            let lookup = TypeResolver.Lookup(scope: declaration.scope)
            do throws(UnresolvedType) {
                return isParameter ? try resolver.resolve(parameter: syntax, lookup) : try resolver.resolve(syntax, lookup)
            } catch {
                throw UnresolvedType(
                    "no accessors can be generated for '\(declaration.name)': \(error.message); write it without '@NSManaged', with "
                        + "'value(forKey:)' and 'setValue(_:forKey:)', or with a type that is declared there")
            }
        }
        switch declaration.kind {
        case .property(let syntax): return .property(try resolve(syntax))
        case .function(let parameters, let result):
            var resolved: [ResolvedType.Element] = []
            for parameter in parameters {
                resolved.append(.init(label: parameter.label, type: try resolve(parameter.type, isParameter: true)))
            }
            var type: ResolvedType?
            if let result { type = try resolve(result) }
            return .function(resolved, result: type == .tuple([]) ? nil : type)
        }
    }
}
