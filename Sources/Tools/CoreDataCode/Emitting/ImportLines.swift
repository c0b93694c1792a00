/// The imports of generated files: those of their source files.
///
/// If one file of the module has access levels on imports, all files must.
struct ImportLines {
    private var imports: [String: [ImportDeclaration]] = [:]
    private var levels: [String: AccessLevel] = [:]

    /// - Parameter files: The files of the module, each with its path.
    init(_ files: [(path: String, imports: [ImportDeclaration])]) {
        for (path, declarations) in files {
            imports[path, default: []] += declarations
            for declaration in declarations {
                guard let access = declaration.access else { continue }
                levels[declaration.module] = max(levels[declaration.module] ?? access, access)
            }
        }
    }

    /// - Parameters:
    ///   - paths: The source files of the generated one.
    ///   - exposed: The modules whose types are in the generated file's public interface if they are in the sources'.
    ///   - published: A module whose types are in the generated file's public interface in any case.
    func lines(of paths: [String], exposed: Set<String>, published: String? = nil) -> [String] {
        let declarations = declarations(of: paths)
        let foundation = declarations.contains { $0.module == "Foundation" } ? "Foundation" : "CoreData"
        let seen = Set(exposed.map { $0.hasPrefix("Foundation") ? foundation : $0 })
        return declarations.sorted { ($0.conditions.texts.count, $0.module) < ($1.conditions.texts.count, $1.module) }.flatMap {
            declaration in
            func line(_ level: String) -> String {
                declaration.text.split(separator: " ").map { $0 == "import" ? level + "import" : String($0) }.joined(separator: " ")
            }
            let lines: [String]
            switch levels[declaration.module] {
            case nil where declaration.module == published:
                lines = ["#if hasFeature(InternalImportsByDefault)", line("public "), "#else", line(""), "#endif"]
            case nil: lines = [line("")]
            case _? where declaration.module == published: lines = [line("public ")]
            case let level?: lines = [line(min(level, seen.contains(declaration.module) ? level : .internal).keyword + " ")]
            }
            return declaration.conditions.around(lines)
        }
    }

    /// Returns the imports of the files, without duplicates, and CoreData.
    private func declarations(of paths: [String]) -> [ImportDeclaration] {
        let used = paths.flatMap { imports[$0] ?? [] }
        let own = ImportDeclaration(text: "import CoreData", module: "CoreData", access: nil, conditions: ConditionStack())
        let importsOwn = used.contains { $0.text.hasSuffix(own.text) && $0.conditions.isEmpty }
        var known: Set<String> = []
        var declarations: [ImportDeclaration] = []
        for var declaration in (importsOwn ? [] : [own]) + used where !declaration.conditions.isForObjectiveC {
            if let range = declaration.text.firstRange(of: "@_exported ") { declaration.text.removeSubrange(range) }
            if known.insert(declaration.conditions.texts.joined(separator: "\n") + declaration.text).inserted {
                declarations.append(declaration)
            }
        }
        return declarations
    }
}
