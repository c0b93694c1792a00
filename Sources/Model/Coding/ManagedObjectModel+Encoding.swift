import Synchronization

extension ManagedObjectModel {
    private struct Document: Codable {
        /// The version of this format.
        var format = 1
        var versionIdentifiers: [String]
        var entities: [Entity]
        var configurations: [EntityConfiguration]
        var fetchTemplates: [FetchTemplate]
    }

    /// Returns the model as JSON, to be stored with its data: all of its declarations except classes and transformers.
    ///
    /// Equal declarations have equal bytes.
    ///
    /// - Throws: `EncodingError` if an attribute's default value is invalid.
    /// - Complexity: O(n) in the model, once.
    public func encoded() throws -> [UInt8] {
        if let known = encodedForm.withLock({ $0 }) { return known }
        let bytes = try ManagedObjectModel.encoded(
            declarations.entities, declarations.configurations, declarations.fetchTemplates, versionIdentifiers)
        encodedForm.withLock { $0 = bytes }
        return bytes
    }

    static func encoded(
        _ entities: [Entity], _ configurations: [EntityConfiguration], _ fetchTemplates: [FetchTemplate], _ versionIdentifiers: [String]
    ) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let document = Document(
            versionIdentifiers: versionIdentifiers, entities: entities, configurations: configurations, fetchTemplates: fetchTemplates)
        return Array(try encoder.encode(document))
    }

    /// Decodes the model of the bytes of ``encoded()``.
    ///
    /// Its objects are plain managed objects, and its transformable attributes hold `Data`.
    ///
    /// - Throws: `DecodingError`, also for a form of a later version; ``ModelError``.
    public convenience init(encoded bytes: some Sequence<UInt8>) throws {
        let document = try JSONDecoder().decode(Document.self, from: Data(bytes))
        guard document.format == 1 else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "the model is encoded in a form of version \(document.format)"))
        }
        try self.init(
            entities: document.entities, configurations: document.configurations, fetchTemplates: document.fetchTemplates,
            versionIdentifiers: document.versionIdentifiers)
    }
}
