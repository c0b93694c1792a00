public import StrataEngine

/// Core Data's XML store format: reads and writes whole files as streams.
public struct XMLCodec: AtomicCodec {
    private let fileSystem: any FileSystem

    /// Creates a codec that reads from a file system.
    public init(fileSystem: any FileSystem = PosixFileSystem.shared) { self.fileSystem = fileSystem }

    public var type: StoreType { .xml }
    public var fileKind: FileKind? { .xml }
    public var referenceScope: StoreCapabilities.ReferenceScope { .store }
    /// Core Data calls the first object of a store z102.
    public var lastReferenceOfNewStore: Int64 { 101 }
    /// Core Data's format has no attribute for them.
    public var keepsVersions: Bool { false }
    /// Core Data's stores hold the whole model.
    public var holdsWholeModel: Bool { true }

    public func load(_ path: String, model: ManagedObjectModel, external: ExternalValues) throws -> TableContents {
        let errors = XMLErrors(operation: .open, path: path)
        let objects = ObjectReader(model, DocumentNames(model), external, errors)
        guard let objects else { throw errors.incompatible("the model has no entities") }
        return try read(path, errors, objects: objects) { reader, metadata in
            guard let objects = reader.objects.take() else { throw errors.corrupt("the file is truncated") }
            var contents = TableContents(metadata: metadata)
            let numbers = ObjectNumbers(reader.information.numberOffsets, model)
            var assembler = try GraphAssembler(model, objects.content, numbers, objects.ids, errors)
            contents.links = try assembler.connect()
            if reader.informationEnd == nil {
                contents.problems.append(StoreProblem(.file, "the file has no databaseInfo: its UUID is made of its content"))
            }
            if objects.ids.areForeign {
                contents.problems.append(StoreProblem(.file, "the ids of the objects are not Core Data's: they are numbered anew"))
            }
            contents.problems += assembler.problems
            var last = max(0, reader.information.lastNumber - numbers.greatest)
            for row in objects.content.rows {
                contents.rows[model.entities[row.entityIndex].root, default: []].append(row)
                last = max(last, row.reference)
            }
            for root in contents.rows.keys { contents.rows[root]?.sortIfNeeded { $0.reference < $1.reference } }
            for entity in model.entities where entity.superentity == nil { contents.lastReference[entity.index] = last }
            return contents
        }
    }

    public func metadata(_ path: String) throws -> StoreMetadata {
        try read(path, XMLErrors(operation: .metadata, path: path), objects: nil) { $1 }
    }

    public func externalNames(_ path: String) throws -> [String] {
        // Without a model only the writer's own spelling identifies the file.
        let mark = unsafe Array("type=\"".utf8) + Array(AttributeTypeName.bytes(AttributeTypeName.external)) + Array("\">".utf8)
        let bytes = try fileSystem.contents(of: path)
        return bytes.ranges(of: mark).compactMap { mark in
            let name = String(decoding: bytes[mark.upperBound...].prefix(36), as: UTF8.self)
            return ExternalDataDirectory.isName(name) ? name : nil
        }
    }

    public func write(_ contents: TableContents, model: ManagedObjectModel, external: ExternalValues, to sink: inout FileSink) throws {
        let errors = XMLErrors(operation: .save, path: nil)
        let objects = try NumberedRows(contents, model, errors)
        let (rows, numbers) = (objects.rows, objects.numbers)
        var out = ByteBuffer(capacity: 256 << 10)
        sink.beginChecksum()
        let last = max(contents.lastReference.values.max() ?? 0, rows.lazy.map(\.reference).max() ?? 0)
        let (lastNumber, isTooLarge) = last.addingReportingOverflow(numbers.greatest)
        if isTooLarge { throw errors.tooLarge("too many references were given out") }
        InformationWriter().append(contents.metadata, numbers.byName, lastNumber: lastNumber, to: &out)
        out.append("\n")
        var writer = ObjectWriter(contents, objects, model, external, errors)
        for row in rows {
            try writer.append(row, to: &out)
            if out.count >= 128 << 10 {
                try unsafe sink.write(out.bytes)
                out.removeAll()
            }
        }
        out.append("    ")
        try finish(&out, &sink)
    }

    public func rewrite(_ path: String, metadata: StoreMetadata, to sink: inout FileSink) throws {
        let errors = XMLErrors(operation: .metadata, path: path)
        let (information, end) = try read(path, errors, objects: nil) { reader, _ in
            guard let end = reader.informationEnd else {
                throw StoreError(
                    .unsupported, .metadata, "the file has no databaseInfo, which it gets by the first save of its objects", path: path)
            }
            return (reader.information, end)
        }
        let input = try FileInput(path, fileSystem)
        var out = ByteBuffer()
        sink.beginChecksum()
        InformationWriter().append(metadata, information.numberOffsets, lastNumber: information.lastNumber, to: &out)
        // The rest stays as it is, up to the comment.
        try unsafe input.forEachBlock { offset, block in
            let start = min(max(end - offset, 0), block.count)
            let stop = min(max((input.checksumOffset ?? .max) - offset, start), block.count)
            try unsafe sink.write(out.bytes)
            out.removeAll()
            unsafe out.append(UnsafeRawBufferPointer(rebasing: block[start..<stop]))
        }
        if input.checksumOffset == nil { return try unsafe sink.write(out.bytes) }
        try finish(&out, &sink)
    }

    private func finish(_ out: inout ByteBuffer, _ sink: inout FileSink) throws {
        try unsafe sink.write(out.bytes)
        try sink.write(ChecksumComment.text(sink.checksum()))
    }

    /// Reads the requested part of a file, and calls `body` with it if the whole file is intact.
    private func read<T>(
        _ path: String, _ errors: XMLErrors, objects: consuming ObjectReader?, _ body: (inout DocumentReader, StoreMetadata) throws -> T
    ) throws -> T {
        let input = try FileInput(path, fileSystem)
        if let refusal = errors.refusal(input.beginning) { throw refusal }
        let reader = UnsafeMutablePointer<DocumentReader>.allocate(capacity: 1)
        unsafe reader.initialize(to: DocumentReader(errors, objects: objects))
        defer {
            unsafe reader.deinitialize(count: 1)
            unsafe reader.deallocate()
        }
        unsafe SAXParser.parse(input, into: reader)
        if let failure = input.failure { throw failure }
        // A file with a wrong checksum is reported as such, whatever else is malformed.
        guard input.isIntact() else { throw errors.changed }
        if let failure = unsafe reader.pointee.failure { throw failure }
        if unsafe reader.pointee.informationEnd == nil {
            // Equal files have one ID, as copies of a store have, whatever their paths.
            let hash = SHA2.digest256(try fileSystem.contents(of: path))
            let hex = hash.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
            let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { Array(hex)[$0] }
            unsafe reader.pointee.information.storeID = StoreID(parts.map { String($0) }.joined(separator: "-"))
        }
        let metadata = try unsafe reader.pointee.information.storeMetadata(type, errors)
        return try unsafe body(&reader.pointee, metadata)
    }
}

extension Array {
    mutating func sortIfNeeded(by precedes: (Element, Element) -> Bool) {
        for index in indices.dropFirst() where precedes(self[index], self[index - 1]) { return sort(by: precedes) }
    }
}
