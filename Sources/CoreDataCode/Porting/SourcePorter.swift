/// Changes sources that were written for Apple's systems so that they compile on others, too.
///
/// Attributes that need Objective-C get conditions around them, `#if canImport(ObjectiveC)`, so that on Apple's systems nothing changes. A
/// key path for Objective-C, `#keyPath(Person.name)`, becomes the text that it stands for. What cannot be changed without a decision is
/// remarked on. A source that was changed so is not changed again.
public struct SourcePorter: Sendable {
    private let properties: KeyPathProperties

    /// - Parameters:
    ///   - module: The module that the sources are in.
    ///   - dependencies: Modules that it imports, in which classes may be that key paths name.
    ///   - models: The models of the module, whose generated classes key paths may name.
    public init(module: SourceModule, dependencies: [SourceModule] = [], models: [CoreDataModel] = []) {
        properties = KeyPathProperties(module, dependencies, models)
    }

    /// A file as it is to be.
    public func port(_ file: SourceFile) -> PortedSource {
        let source = TokenizedSource(file)
        var attributes = AttributePort(source)
        attributes.run()
        var expressions = ExpressionPort(source, properties)
        expressions.run()
        let edits = (attributes.edits + expressions.edits).sorted { $0.range.lowerBound < $1.range.lowerBound }
        let text = edits.isEmpty ? file.text : SourceEdit.apply(edits, to: source.bytes)
        let remarks = (attributes.remarks + expressions.remarks).sorted { $0.place < $1.place }
        return PortedSource(original: file, text: text, remarks: remarks)
    }
}
