/// The imports of a generated file: those of the files that it was made of.
///
/// Where a file of the module says who may see what it imports, all files must.
struct ImportLines {
    private var declarations: [ImportDeclaration] = []
    private var levels: [String: AccessLevel] = [:]

    /// - Parameters:
    ///   - all: The imports of all files of the module.
    ///   - used: Those of the files that the generated one stands for.
    init(all: [ImportDeclaration], used: [ImportDeclaration]) {
        for declaration in all {
            guard let access = declaration.access else { continue }
            levels[declaration.module] = max(levels[declaration.module] ?? access, access)
        }
        var known: Set<String> = []
        let own = ImportDeclaration(text: "import CoreData", module: "CoreData", access: nil, conditions: ConditionStack())
        let importsOwn = used.contains { $0.module == own.module && $0.conditions.isEmpty }
        for var declaration in (importsOwn ? [] : [own]) + used where !declaration.conditions.isForObjectiveC {
            if let range = declaration.text.place(of: "@_exported ") { declaration.text.removeSubrange(range) }
            if known.insert(declaration.conditions.texts.joined(separator: "\n") + declaration.text).inserted {
                declarations.append(declaration)
            }
        }
    }

    /// - Parameter exposed: The modules whose types other modules see in the generated file.
    func lines(exposed: Set<String>) -> [String] {
        let foundation = declarations.contains { $0.module == "Foundation" } ? "Foundation" : "CoreData"
        let seen = Set(exposed.map { $0.hasPrefix("Foundation") ? foundation : $0 })
        return declarations.sorted { ($0.conditions.texts.count, $0.module) < ($1.conditions.texts.count, $1.module) }.flatMap {
            declaration in
            let conditions = declaration.conditions.texts
            let level = levels[declaration.module].map { min($0, seen.contains(declaration.module) ? $0 : .internal).keyword + " " } ?? ""
            let line = declaration.text.split(separator: " ").map { $0 == "import" ? level + "import" : String($0) }.joined(separator: " ")
            return conditions.map { "#if \($0)" } + [line] + conditions.map { _ in "#endif" }
        }
    }
}
