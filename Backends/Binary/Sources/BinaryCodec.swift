public import StrataEngine

/// Strata's own binary format: a mapped file whose rows are used in place.
public struct BinaryCodec: AtomicCodec {
    private let fileSystem: any FileSystem

    /// Creates a codec that reads from a file system.
    public init(fileSystem: any FileSystem = PosixFileSystem.shared) { self.fileSystem = fileSystem }

    public var type: StoreType { .binary }
    public var fileKind: FileKind? { .binary }
    public var referenceScope: StoreCapabilities.ReferenceScope { .hierarchy }

    public func load(_ path: String, model: ManagedObjectModel, external: ExternalValues) throws -> TableContents {
        try reading(path, .open) { sections, errors in
            var contents = TableContents(metadata: try metadata(of: sections))
            var schemaReader = unsafe ByteReader(try sections.checked(.schema))
            let schema = try SchemaSection(&schemaReader)
            let mapping = SchemaMapping(schema, model)
            try unsafe RowSection(schema, mapping, model, errors).read(
                try sections.checked(.hierarchies), try sections.checked(.rows), of: sections.file, to: &contents)
            contents.links = try unsafe LinkSection.read(try sections.checked(.links), mapping, errors)
            let entries = try unsafe ExternalSection.read(try sections.checked(.external))
            try ExternalRowFiller(mapping: mapping, model: model, external: external, errors: errors).fill(&contents, entries)
            return contents
        }
    }

    public func metadata(_ path: String) throws -> StoreMetadata {
        try reading(path, .metadata) { sections, _ in try metadata(of: sections) }
    }

    public func externalNames(_ path: String) throws -> [String] {
        try reading(path, .open) { sections, _ in try unsafe ExternalSection.read(try sections.checked(.external)).map(\.name) }
    }

    public func write(_ contents: TableContents, model: ManagedObjectModel, external: ExternalValues, to sink: inout FileSink) throws {
        var schema = ByteWriter()
        SchemaSection(model).write(to: &schema)
        schema.pad()
        let metadata = try BinaryCodec.section(of: contents.metadata)
        let prepared = try ExternalRows(contents, model, external)
        var hierarchies = ByteWriter()
        var rowsLength = 0
        let roots = Set(contents.rows.keys).union(contents.lastReference.keys).sorted()
        for root in roots {
            let rows = prepared.rows[root] ?? []
            let length = rows.reduce(0) { $0 + $1.byteCount }
            rowsLength += length
            hierarchies.put(UInt32(root.rawValue))
            hierarchies.put(UInt32(0))
            hierarchies.put(UInt64(rows.count))
            hierarchies.put(UInt64(length))
            hierarchies.put(max(contents.lastReference[root] ?? 0, rows.last?.reference ?? 0))
            hierarchies.put(UInt64(0))
        }
        let tables = model.linkTables.map { contents.links[$0.index] ?? [] }
        let linksLength = tables.reduce(0) { $0 + 8 + $1.count * FileLayout.linkSize }
        var values = ByteWriter()
        ExternalSection.write(prepared.entries, to: &values)
        values.pad()

        let length = schema.bytes.count + metadata.count + hierarchies.bytes.count + rowsLength + linksLength + values.bytes.count
        var writer = try SectionWriter(length: length, to: &sink)
        try writer.write(.schema, to: &sink) { try $0.write(schema.bytes) }
        try writer.write(.metadata, to: &sink) { try $0.write(metadata) }
        try writer.write(.hierarchies, to: &sink) { try $0.write(hierarchies.bytes) }
        try writer.write(.rows, to: &sink) { sink in
            for root in roots {
                for row in prepared.rows[root] ?? [] { try unsafe sink.write(row.bytes) }
            }
        }
        try writer.write(.links, to: &sink) { sink in
            for links in tables {
                var bytes = ByteWriter()
                bytes.put(UInt64(links.count))
                for link in links { LinkSection.write(link, to: &bytes) }
                try sink.write(bytes.bytes)
            }
        }
        try writer.write(.external, to: &sink) { try $0.write(values.bytes) }
        try writer.finish(to: &sink)
    }

    public func rewrite(_ path: String, metadata: StoreMetadata, to sink: inout FileSink) throws {
        try reading(path, .metadata) { sections, _ in
            let replacement = try BinaryCodec.section(of: metadata)
            let length = FileLayout.Section.allCases.reduce(0) { $0 + ($1 == .metadata ? replacement.count : sections.range($1).count) }
            var writer = try SectionWriter(length: length, to: &sink)
            for section in FileLayout.Section.allCases {
                try writer.write(section, to: &sink) { sink in
                    if section == .metadata { try sink.write(replacement) } else { try unsafe sink.write(try sections.checked(section)) }
                }
            }
            try writer.finish(to: &sink)
        }
    }

    private func metadata(of sections: FileSections) throws -> StoreMetadata {
        var reader = unsafe ByteReader(try sections.checked(.metadata))
        let metadata = try MetadataCodec(truth: .asTag).read(&reader)
        try reader.end()
        return metadata
    }

    private static func section(of metadata: StoreMetadata) throws -> [UInt8] {
        var writer = ByteWriter()
        try MetadataCodec(truth: .asTag).write(metadata, to: &writer)
        writer.pad()
        return writer.bytes
    }

    /// Runs `body` over the sections of a file, and converts malformed bytes to an error of a corrupt file.
    private func reading<T>(
        _ path: String, _ operation: StoreError.Operation, _ body: (FileSections, BinaryErrors) throws -> T
    ) throws -> T {
        let errors = BinaryErrors(operation: operation, path: path)
        let sections = try FileSections(try fileSystem.map(path), errors)
        defer { withExtendedLifetime(sections.file) {} }
        do { return try body(sections, errors) } catch is MalformedBytes { throw errors.corrupt("malformed section") }
    }
}
