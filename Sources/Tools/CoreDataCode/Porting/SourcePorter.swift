/// Changes sources that were written for Apple's systems so that they compile on others, too.
///
/// Attributes that need Objective-C get conditions around them, `#if canImport(ObjectiveC)`, so that on Apple's systems
/// nothing changes. A key path for Objective-C, `#keyPath(Person.name)`, becomes its text, and so does a selector that
/// is only a name. Imports of Apple's modules get conditions, and imports that other systems need are added. A file
/// that drains pools gets a substitute function. An observer with a selector gets a closure as its counterpart, and an
/// optional requirement of a protocol a body, and an extension of `NSObject` one of `NSManagedObject` beside it. A member of an extension that
/// overrides another is moved into its class. A remark reports code that needs a decision. Porting is idempotent.
public struct SourcePorter: Sendable {
    private let properties: KeyPathProperties
    private let coreData: CoreDataImports
    /// The types of the module that all its files see.
    private let types: Set<String>
    private let optionalRequirements: Set<String>
    private let objectExtensions: ObjectExtensions

    /// - Parameters:
    ///   - module: The module that the sources are in.
    ///   - dependencies: Modules that it imports, in which classes may be that key paths name.
    ///   - models: The models of the module, whose generated classes key paths may name.
    ///   - usesCoreData: Whether the module depends on CoreData, which its files may not import yet.
    public init(module: SourceModule, dependencies: [SourceModule] = [], models: [CoreDataModel] = [], usesCoreData: Bool = false) {
        properties = KeyPathProperties(module, dependencies, models)
        let declarations = module.files.enumerated().map { SourceScanner.scan($1, index: $0) }
        coreData = CoreDataImports(declarations.flatMap(\.imports), dependencies, isDependency: usesCoreData)
        optionalRequirements = Set((module.files + dependencies.flatMap(\.files)).flatMap(OptionalRequirements.names))
        objectExtensions = ObjectExtensions(module.files)
        types = Set(declarations.flatMap(\.types).filter(\.scope.levels.isEmpty).map(\.name))
    }

    /// Returns a file as it is to be.
    public func port(_ original: SourceFile) -> PortedSource {
        let (file, overrides) = OverrideMoves.apply(to: original)
        let source = TokenizedSource(file)
        let declarations = SourceScanner.scan(source, index: 0)
        var attributes = AttributePort(source)
        attributes.run()
        var expressions = ExpressionPort(source, declarations, types, optional: optionalRequirements, properties)
        expressions.run()
        let needed = NeededImports(
            declarations, names: expressions.uses.coreDataNames, ambiguous: expressions.uses.ambiguousTypes, in: coreData)
        var imports = ImportPort(source, declarations, needed)
        imports.run()
        var edits = attributes.edits + imports.edits + expressions.edits
        if expressions.uses.needsPool, !file.text.contains("func autoreleasepool") { edits.append(addition(pool, to: source)) }
        if !attributes.defaults.isEmpty { edits.append(addition(attributes.defaults.flatMap(\.lines), to: source)) }
        let isImported = declarations.imports.contains { $0.module == "CoreData" } || needed.addsModule
        if expressions.uses.needsClasses, coreData.isImported, !file.text.contains("func NSClassFromString") {
            edits.append(addition((isImported ? [] : ["import CoreData"]) + classes, to: source))
        }
        if file.text.contains("extension NSObject {"), !file.text.contains("extension NSManagedObject {") {
            let repeated = objectExtensions.repeated(source, imports: isImported)
            if !repeated.isEmpty { edits.append(addition(repeated, to: source)) }
        }
        if namesNetworking(source), !file.text.contains("FoundationNetworking") {
            edits.append(addition(["import FoundationNetworking"], to: source))
        }
        // Edits at one offset keep their order.
        edits = edits.enumerated().sorted { ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset) }
            .map(\.element)
        var bytes = source.bytes
        for edit in edits.reversed() { bytes.replaceSubrange(edit.range, with: edit.text.utf8) }
        // An import gets a remark if no use of it has one.
        let imported = imports.remarks.filter { !expressions.uses.modules.contains($0.module) }.map(\.remark)
        let local = declarations.localClasses.map {
            SourceRemark(location: $0, subject: "@NSManaged", remedy: SourceDeclarations.localClassMessage)
        }
        let remarks = (overrides + local + attributes.remarks + imported + expressions.remarks).sorted { $0.location < $1.location }
        return PortedSource(original: original, text: String(decoding: bytes, as: UTF8.self), remarks: remarks)
    }

    /// Returns whether a file names types of Foundation's that are a module of their own on other systems.
    private func namesNetworking(_ source: TokenizedSource) -> Bool {
        source.tokens.contains { $0.kind == .word && SourcePorter.networking.contains(source.text($0)) && !types.contains(source.text($0)) }
    }

    private static let networking: Set<String> = [
        "HTTPCookie", "HTTPCookieStorage", "HTTPURLResponse", "NSMutableURLRequest", "NSURLRequest", "URLAuthenticationChallenge",
        "URLCache", "URLCredential", "URLProtocol", "URLRequest", "URLResponse", "URLSession", "URLSessionConfiguration",
        "URLSessionDataDelegate", "URLSessionDataTask", "URLSessionDelegate", "URLSessionDownloadTask", "URLSessionTask",
    ]

    /// A substitute for the function that drains a pool.
    private var pool: [String] {
        ["private func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }"]
    }

    /// A substitute for the function that finds a class by its name for Objective-C, which has no module.
    private var classes: [String] { ["private func NSClassFromString(_ aClassName: String) -> AnyClass? { _classFromString(aClassName) }"] }

    /// Returns declarations for systems without Objective-C, at the end of the file.
    private func addition(_ declarations: [String], to source: TokenizedSource) -> SourceEdit {
        let lines = ["", "#if !canImport(ObjectiveC)"] + declarations + ["#endif", ""]
        let end = source.bytes.count
        let isLineOpen = end > 0 && source.bytes[end - 1] != UInt8(ascii: "\n")
        return SourceEdit(range: end..<end, text: ((isLineOpen ? [""] : []) + lines).joined(separator: source.lineEnd))
    }
}

struct SourceEdit {
    var range: Range<Int>
    var text: String
}
