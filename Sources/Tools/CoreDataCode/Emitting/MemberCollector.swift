/// Finds the members with `@NSManaged` of a module, and warns of those without accessors.
struct MemberCollector {
    private let resolver: TypeResolver
    private let module: String
    private(set) var members: [ManagedMember] = []
    private(set) var warnings: [SourceWarning] = []

    init(_ resolver: TypeResolver, module: String) {
        self.resolver = resolver
        self.module = module
    }

    mutating func collect(_ file: SourceFile, _ declarations: SourceDeclarations) {
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
        guard !declaration.isStatic else {
            throw UnresolvedType(
                message: "'\(name)' is a member of the class itself, which no model has: '@NSManaged' is for those of objects")
        }
        guard let owner = resolver.context(of: declaration.scope) else {
            let type = declaration.scope.levels.flatMap(\.names).joined(separator: ".")
            throw UnresolvedType(
                message:
                    "no accessors can be generated for '\(name)': \(TypeResolver.unknown(type)); declare the property in the class's module"
            )
        }
        guard owner.kind == .class else {
            throw UnresolvedType(message: "'\(name)' is no member of a class: only managed objects have such properties")
        }
        let levels = declaration.scope.levels
        if let parameter = levels.flatMap(\.parameters).first {
            throw UnresolvedType(
                message:
                    "no accessors can be generated for '\(name)' in a class that is generic over '\(parameter)': move it to one that is not"
            )
        }
        if levels.contains(where: \.isConstrained) {
            throw UnresolvedType(
                message: "no accessors can be generated for '\(name)' in an extension with 'where': move it to one without")
        }
        let around = resolver.access(of: owner)
        guard around > .fileprivate else {
            throw UnresolvedType(
                message:
                    "no accessors can be generated for '\(name)', since '\(owner.path)' is private to its file: make the class internal")
        }
        let access = declaration.scope.access(ofMember: declaration.access)
        let member = ManagedMember(
            declaration: declaration, kind: try kind(declaration), owner: owner, access: min(access, around),
            discriminator: access > .fileprivate ? nil : FileDiscriminator.text(module: module, file: file.name))
        for type in member.types.flatMap(\.names) where resolver.access(of: type) <= .fileprivate {
            throw UnresolvedType(
                message:
                    "no accessors can be generated for '\(name)', since its type '\(type.path)' is private to its file: make it internal"
            )
        }
        return member
    }

    private func kind(_ declaration: ManagedDeclaration) throws(UnresolvedType) -> ManagedMember.Kind {
        func resolve(_ syntax: TypeSyntax) throws(UnresolvedType) -> ResolvedType {
            do throws(UnresolvedType) { return try resolver.resolve(syntax, in: declaration.scope) } catch {
                throw UnresolvedType(
                    message:
                        "no accessors can be generated for '\(declaration.name)': \(error.message); write it without '@NSManaged', with "
                        + "'value(forKey:)' and 'setValue(_:forKey:)', or with a type that is declared there")
            }
        }
        switch declaration.kind {
        case .property(let syntax): return .property(try resolve(syntax))
        case .function(let parameters, let result):
            var resolved: [ManagedMember.Parameter] = []
            for parameter in parameters {
                var type = try resolve(parameter.type)
                if case .function(var inner) = type, case .function(let written) = parameter.type {
                    inner.isEscaping = written.attributes.contains("escaping")
                    type = .function(inner)
                }
                resolved.append(.init(label: parameter.label, name: parameter.name, type: type))
            }
            var type: ResolvedType?
            if let result { type = try resolve(result) }
            return .function(resolved, result: type == .tuple([]) ? nil : type)
        }
    }
}
