public import StrataEngine

/// Strata's own binary format: a mapped file whose rows are used in place, and behind them the saves that were appended.
public struct BinaryCodec: AtomicCodec {
    private let fileSystem: any FileSystem

    /// Creates a codec that reads from a file system.
    public init(fileSystem: any FileSystem = PosixFileSystem.shared) { self.fileSystem = fileSystem }

    public var type: StoreType { .binary }
    public var fileKind: FileKind? { .binary }
    public var referenceScope: StoreCapabilities.ReferenceScope { .hierarchy }

    public func load(_ path: String, model: ManagedObjectModel, external: ExternalValues) throws -> TableContents {
        try contents(path, model, external, isWhole: true)
    }

    public func open(_ path: String, model: ManagedObjectModel, external: ExternalValues) throws -> TableContents {
        try contents(path, model, external, isWhole: false)
    }

    /// - Parameter isWhole: Whether all rows and links are read and checked, or only what cannot wait.
    private func contents(
        _ path: String, _ model: ManagedObjectModel, _ external: ExternalValues, isWhole: Bool
    ) throws -> TableContents {
        try reading(path, .open) { sections, errors in
            let bodies = try bodies(of: sections, errors)
            var contents = TableContents(metadata: try metadata(of: sections, bodies.list))
            if sections.hasBlocks { contents.metadata.historyRecords = try unsafe HistorySection.read(try sections.checked(.history)) }
            let rows = RowReader(try schema(of: sections), model, errors)
            // Rows whose entities have other indexes are copied.
            let isWhole = isWhole || !sections.hasBlocks || !rows.mapping.isIdentity
            try RowSection(rows, sections).read(to: &contents, isWhole: isWhole)
            if isWhole {
                contents.links = try unsafe LinkSection.read(try sections.checked(.links), rows.mapping, errors)
            } else {
                let links = LaterLinkSection(sections, rows.mapping, errors)
                for table in model.linkTables { contents.laterLinks[table.index] = { try links.links(ofTable: table.index) } }
            }
            let segments = SegmentReader(rows, sections.file)
            contents.saves = try bodies.list.map(segments.save)
            let owners = try ExternalOwners(sections, rows.schema, bodies.list)
            try ExternalRowFiller(mapping: rows.mapping, model: model, external: external, errors: errors).fill(&contents, owners)
            // A segment has the indexes of the file.
            if rows.mapping.isIdentity { contents.end = bodies.end }
            return contents
        }
    }

    public func metadata(_ path: String) throws -> StoreMetadata {
        try reading(path, .metadata) { sections, errors in try metadata(of: sections, bodies(of: sections, errors).list) }
    }

    public func externalNames(_ path: String) throws -> [String] {
        try reading(path, .open) { sections, errors in
            try ExternalOwners(sections, schema(of: sections), bodies(of: sections, errors).list).names
        }
    }

    public func end(ofFile path: String) throws -> AppendPosition? {
        try reading(path, .save) { sections, errors in try bodies(of: sections, errors).end }
    }

    public func segment(
        _ save: TableSave, at end: AppendPosition, model: ManagedObjectModel, external: ExternalValues
    ) throws -> AppendedSegment? {
        var writer = ByteWriter()
        try SegmentBody.write(save, ExternalRows(model, external), to: &writer)
        writer.pad()
        return Segment.append(writer.bytes, at: end)
    }

    public func write(_ contents: TableContents, model: ManagedObjectModel, external: ExternalValues, to sink: inout FileSink) throws {
        var schema = ByteWriter()
        SchemaSection(model).write(to: &schema)
        schema.pad()
        var stripped = contents.metadata
        // Damaged records stay as they are.
        let records = contents.metadata.historyRecords
        if records != nil { stripped.historyRecords = [] }
        let metadata = try BinaryCodec.section(of: stripped)
        let rows = try WrittenRows(contents, model, external)
        let tables = model.linkTables.map { contents.links[$0.index] ?? [] }
        let linksLength = tables.reduce(0) { $0 + 8 + $1.count * FileLayout.linkSize }
        var history = ByteWriter()
        HistorySection.write(records ?? [], to: &history)
        history.pad()

        let length = schema.bytes.count + metadata.count + rows.length + linksLength + history.bytes.count
        var writer = try SectionWriter(length: length, to: &sink)
        try writer.write(.schema, to: &sink) { try $0.write(schema.bytes) }
        try writer.write(.metadata, to: &sink) { try $0.write(metadata) }
        try writer.write(.hierarchies, to: &sink) { try $0.write(rows.hierarchies.bytes) }
        try writer.write(.rows, hasBlocks: true, to: &sink) { sink in
            for row in rows.rows.joined() { try unsafe sink.write(row.bytes) }
        }
        try writer.write(.links, to: &sink) { sink in
            for links in tables {
                var bytes = ByteWriter()
                bytes.put(UInt64(links.count))
                for link in links { LinkSection.write(link, to: &bytes) }
                try sink.write(bytes.bytes)
            }
        }
        try writer.write(.external, to: &sink) { try $0.write(rows.external.bytes) }
        try writer.write(.blocks, to: &sink) { try $0.write(rows.blocks.bytes) }
        try writer.write(.history, to: &sink) { try $0.write(history.bytes) }
        try writer.finish(to: &sink)
    }

    public func rewrite(_ path: String, metadata: StoreMetadata, to sink: inout FileSink) throws {
        try reading(path, .metadata) { sections, errors in
            if try !bodies(of: sections, errors).list.isEmpty { return try append(metadata, to: sections, errors, &sink) }
            let replacement = try BinaryCodec.section(of: metadata)
            let parts = FileLayout.sections(sections.version)
            let length = parts.reduce(0) { $0 + ($1 == .metadata ? replacement.count : sections.range($1).count) }
            var writer = try SectionWriter(length: length, version: sections.version, to: &sink)
            for section in parts {
                let hasBlocks = section == .rows && sections.hasBlocks
                try writer.write(section, hasBlocks: hasBlocks, to: &sink) { sink in
                    if section == .metadata { return try sink.write(replacement) }
                    try unsafe sink.write(hasBlocks ? sections.bytes(section) : sections.checked(section))
                }
            }
            try writer.finish(to: &sink)
        }
    }

    /// Writes a copy of a file with a segment for the metadata.
    private func append(_ metadata: StoreMetadata, to sections: FileSections, _ errors: BinaryErrors, _ sink: inout FileSink) throws {
        let end = try SegmentList(sections, errors).end
        var save = TableSave([], lineage: metadata.userInfo[StoreMetadata.savesKey] ?? .data(Data()))
        save.metadata = metadata
        var writer = ByteWriter()
        try SegmentBody.write(save, to: &writer)
        writer.pad()
        let segment = Segment.append(writer.bytes, at: end)
        try unsafe sink.write(UnsafeRawBufferPointer(rebasing: sections.file.bytes[..<sections.length]))
        for _ in 0..<2 { try sink.write(segment.record) }
        try unsafe sink.write(UnsafeRawBufferPointer(rebasing: sections.file.bytes[end.start..<end.offset]))
        try sink.write(segment.header)
        try sink.write(segment.body)
    }

    private func schema(of sections: FileSections) throws -> SchemaSection {
        var reader = unsafe ByteReader(try sections.checked(.schema))
        return try SchemaSection(&reader)
    }

    /// The saves that were appended to a file, and its end; none in a file of the older version.
    private func bodies(of sections: FileSections, _ errors: BinaryErrors) throws -> (list: [SegmentBody], end: AppendPosition?) {
        guard sections.hasBlocks else { return ([], nil) }
        let segments = try SegmentList(sections, errors)
        return (try segments.bodies.map { try unsafe SegmentBody(sections.file.bytes, $0, errors) }, segments.end)
    }

    /// Returns the metadata after some saves, without the history in a file that has a section for it.
    private func metadata(of sections: FileSections, _ saves: [SegmentBody]) throws -> StoreMetadata {
        var metadata = try metadata(of: sections)
        if let last = saves.last(where: { $0.metadata != nil })?.metadata { metadata = last }
        if let lineage = saves.last?.lineage, !lineage.isEmpty { metadata.userInfo[StoreMetadata.savesKey] = .data(Data(lineage)) }
        return metadata
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
        var file = try fileSystem.map(path)
        for _ in 1..<BinaryCodec.mostMappings {
            do { return try reading(file, errors, body) } catch let error as StoreError where error.code == .corrupt {
                // Another process may have appended a save since the file was mapped: a record then names what is not mapped.
                let length = unsafe file.bytes.count
                file = try fileSystem.map(path)
                if unsafe file.bytes.count == length { throw error }
            }
        }
        return try reading(file, errors, body)
    }

    /// How often a file is mapped that others change meanwhile.
    private static let mostMappings = 100

    private func reading<T>(_ file: MappedFile, _ errors: BinaryErrors, _ body: (FileSections, BinaryErrors) throws -> T) throws -> T {
        defer { withExtendedLifetime(file) {} }
        let sections = try FileSections(file, errors)
        do { return try body(sections, errors) } catch is MalformedBytes { throw errors.corrupt("malformed section") }
    }
}
