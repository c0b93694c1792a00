/// The types that some modules declare, by their names.
struct DeclaredTypes {
    /// A type with its own name.
    struct Entry {
        var name: NominalName
        var declaration: TypeDeclaration
        /// The declaring module, which differs from its name's in an extension of another module's type.
        var module: String
    }

    /// The entries by their path, by module.
    private var entries: [String: [String: [Entry]]] = [:]
    /// The unqualified names of the types.
    private(set) var names: Set<String> = []
    /// The modules with known sources, the target's own first.
    let modules: [String]
    let imports: [String: [[ImportDeclaration]]]

    /// - Parameter modules: The declarations of the files of each module, the target's own first.
    init(_ modules: [(name: String, files: [SourceDeclarations])]) {
        self.modules = modules.map(\.name)
        imports = Dictionary(modules.map { ($0.name, $0.files.map(\.imports)) }) { first, _ in first }
        var later: [(module: String, declaration: TypeDeclaration)] = []
        for module in modules {
            for declaration in module.files.flatMap(\.types) {
                if declaration.scope.levels.contains(where: \.isExtension) {
                    later.append((module.name, declaration))
                } else {
                    add(declaration, module.name, in: nil)
                }
            }
        }
        // A type in an extension is known once the extended one is, which may be in an extension itself.
        var isChanged = true
        while isChanged, !later.isEmpty {
            isChanged = false
            var rest: [(module: String, declaration: TypeDeclaration)] = []
            for (module, declaration) in later {
                if let context = TypeResolver(types: self, module: module).context(of: declaration.scope) {
                    add(declaration, module, in: context)
                    isChanged = true
                } else {
                    rest.append((module, declaration))
                }
            }
            later = rest
        }
    }

    /// - Parameter context: The enclosing type, if extensions are in the scope.
    private mutating func add(_ declaration: TypeDeclaration, _ module: String, in context: NominalName?) {
        var name: NominalName
        var step = NominalName.Step(name: declaration.name, kind: declaration.kind)
        if let context {
            if context.module != module, declaration.scope.levels.last?.isExtension == true { step.extensionModule = module }
            name = context.nested(step)
        } else {
            // The kinds of the enclosing types were found before.
            name = NominalName(module: module, steps: [])
            for level in declaration.scope.levels {
                let path = (name.steps.map(\.name) + level.names).joined(separator: ".")
                let kind = entries[module]?[path]?.last?.name.kind ?? .struct
                name = name.nested(NominalName.Step(name: level.names.joined(separator: "."), kind: kind))
            }
            name = name.nested(step)
        }
        names.insert(declaration.name)
        entries[name.module, default: [:]][name.path, default: []].append(Entry(name: name, declaration: declaration, module: module))
    }

    /// Returns the types of a name; of alternatives under conditions those for systems without Objective-C.
    func entries(_ module: String, _ path: String) -> [Entry] {
        let found = entries[module]?[path] ?? []
        let others = found.filter { !$0.declaration.conditions.isForObjectiveC }
        return others.isEmpty ? found : others
    }
}
