public import StrataModelFiles

/// The generated code of a target that imports CoreData without Objective-C: the accessors of its properties with
/// `@NSManaged`, and the classes of its models.
///
/// ```swift
/// let code = try CoreDataCode(of: SourceModule(name: "Shop", files: files), models: [model])
/// print(code.text)
/// ```
/// The getter and the setter of a property with `@NSManaged` are resolved by the linker, by symbols with the module,
/// the class, the property and its type. The code defines a function of each symbol, which reads or sets the value of
/// the object.
public struct CoreDataCode: Sendable {
    /// The texts of the generated files.
    public let files: [String]
    /// The code where it is one file.
    public var text: String { files.joined() }
    /// Properties that have no accessors, and those that their model does not have so.
    public let warnings: [SourceWarning]
    /// Entities of models that have no classes although they should, and what a model does not have as it is written, with the
    /// path of the model.
    public let modelWarnings: [(path: String, warning: ModelFileWarning)]

    /// Generates the code for a module.
    ///
    /// - Parameters:
    ///   - module: The module with its sources.
    ///   - dependencies: Modules that it imports, in whose sources types of its properties may be declared.
    ///   - models: The models of the module: their classes are generated according to their code generation setting,
    ///     and its properties are compared with theirs.
    ///   - count: The number of files, which are compiled in parallel, and recompiled separately.
    /// - Throws: `ModelFileError` where a class cannot be generated.
    public init(
        of module: SourceModule, dependencies: [SourceModule] = [], models: [CoreDataModel] = [], parts count: Int = 1
    ) throws(ModelFileError) {
        var parts = CodeParts(count: count)
        var modelWarnings: [(path: String, warning: ModelFileWarning)] = []
        var declarations = ["import CoreData"]
        let written = module.files.enumerated().map { SourceScanner.scan($1, index: $0) }
        let declared = CoreDataCode.classes(written.flatMap(\.types))
        for model in models {
            var generator = ClassGenerator(model: model, declared: declared)
            try generator.generate(&parts)
            declarations += generator.declarations
            modelWarnings += (model.warnings + generator.warnings).map { (model.path, $0) }
        }
        // Generated classes are declared as if they were in a file of the module.
        let generated = SourceFile(path: "", text: declarations.joined(separator: "\n"))
        let files = module.files + [generated]
        let own = written + [SourceScanner.scan(generated, index: written.count)]
        let others = dependencies.map { dependency in
            (dependency.name, dependency.files.enumerated().map { SourceScanner.scan($1, index: $0) })
        }
        let resolver = TypeResolver(types: DeclaredTypes([(module.name, own)] + others), module: module.name)
        var collector = MemberCollector(resolver)
        for (file, declarations) in zip(files, own) { collector.collect(file, declarations) }
        let members = collector.members
        let check = ModelCheck(models, resolver)
        var accessors = AccessorGenerator(resolver, members: members, modelled: check.propertyNames)
        accessors.generate(members, &parts)
        KeyedMembers(resolver, Array(zip(module.files, written)), managed: members).generate(&parts.parts[0])

        let imports = ImportLines(zip(files, own).map { ($0.path, $1.imports) })
        self.files = parts.parts.map { $0.text(module: module.name, imports: imports) }
        let mismatches = members.filter { !$0.declaration.location.path.isEmpty }.compactMap(check.warning)
        warnings = (collector.warnings + accessors.warnings + mismatches).sorted { $0.location < $1.location }
        self.modelWarnings = modelWarnings
    }

    /// Returns the names of the classes whose properties other files of the module can provide accessors for.
    private static func classes(_ types: [TypeDeclaration]) -> Set<String> {
        Set(
            types.filter { type in
                type.kind == .class && type.access > .fileprivate && type.parameters.isEmpty && !type.conditions.isForObjectiveC
                    && !type.scope.levels.contains { $0.isExtension }
            }.map { type in (type.scope.levels.flatMap(\.names) + [type.name]).joined(separator: ".") })
    }
}
