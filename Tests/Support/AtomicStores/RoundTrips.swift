package import StrataEngine
import StrataFiles
package import StrataModel
import StrataStore
package import Testing

extension AtomicFormat {
    /// Expects that contents come back, and returns the file and what was read from it.
    @discardableResult
    package func checkRoundTrip(
        _ contents: TableContents,
        _ model: ManagedObjectModel,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (scratch: ScratchFile, loaded: TableContents) {
        let scratch = try saved(contents, model)
        let loaded = try load(scratch.path, model)
        #expect(dump(loaded, model) == dump(contents, model), sourceLocation: sourceLocation)
        return (scratch, loaded)
    }

    /// Expects that contents come back, and give the same bytes when they are saved again.
    package func checkRepeatedRoundTrip(
        _ contents: TableContents,
        _ model: ManagedObjectModel,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let (scratch, loaded) = try checkRoundTrip(contents, model, sourceLocation: sourceLocation)
        let first = try scratch.bytes()
        try save(loaded, model, to: scratch.path)
        #expect(try scratch.bytes() == first, sourceLocation: sourceLocation)
    }

    /// Expects that metadata come back, with the rows and alone.
    package func checkMetadata(
        _ contents: TableContents,
        _ model: ManagedObjectModel,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let scratch = try saved(contents, model)
        #expect(try load(scratch.path, model).metadata == contents.metadata, sourceLocation: sourceLocation)
        #expect(try codec.metadata(scratch.path) == contents.metadata, sourceLocation: sourceLocation)
    }

    /// Expects that metadata are replaced without a model, to the same bytes as if everything had been written anew.
    package func checkRewriting(
        _ contents: TableContents,
        _ model: ManagedObjectModel,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let scratch = try saved(contents, model)
        var changed = contents
        changed.metadata.userInfo["new"] = .string("value")
        try AtomicReplacement.prepare(path: scratch.path, forcing: .nothing) { sink in
            try codec.rewrite(scratch.path, metadata: changed.metadata, to: &sink)
        }.commit()
        #expect(dump(try load(scratch.path, model), model) == dump(changed, model), sourceLocation: sourceLocation)
        let rewritten = try scratch.bytes()
        try save(changed, model, to: scratch.path)
        #expect(try scratch.bytes() == rewritten, sourceLocation: sourceLocation)
    }

    /// Expects that values of 1000 bytes and more lie in files of their own and come back, and that their loss is noticed.
    ///
    /// - Parameter inspect: Is called with the saved file and the names of the values' files.
    package func checkExternalValues(
        _ contents: TableContents,
        _ model: ManagedObjectModel,
        sourceLocation: SourceLocation = #_sourceLocation,
        inspect: (ScratchFile, [String]) throws -> Void
    ) throws {
        let scratch = try ScratchFile()
        let directory = ExternalDataDirectory(storePath: scratch.path)
        let external = ExternalValues(directory: directory, threshold: 1000)
        try save(contents, model, to: scratch.path, external)
        try inspect(scratch, Array(directory.names()))
        let loaded = try load(scratch.path, model, external)
        #expect(dump(loaded, model) == dump(contents, model), sourceLocation: sourceLocation)
        #expect(try Set(codec.externalNames(scratch.path)) == Set(directory.names()), sourceLocation: sourceLocation)
        let names = try directory.names()
        try directory.remove(names)
        // The rest of the objects is there, and a save keeps the names.
        let lost = try load(scratch.path, model, external)
        let unavailable = lost.rows.values.flatMap(\.self).reduce(0) { count, row in
            count
                + model.entities[row.entityIndex].layout.slots.typedIndices(Slot.self).count {
                    row.unavailableValue($0)?.reason == .missing
                }
        }
        #expect(unavailable == names.count, sourceLocation: sourceLocation)
        try save(lost, model, to: scratch.path, external)
        #expect(try Set(codec.externalNames(scratch.path)) == Set(names), sourceLocation: sourceLocation)
    }
}
