package import StrataEngine
import StrataFiles
package import StrataModel
import StrataStore

/// A file format of atomic stores under test.
package struct AtomicFormat<Codec: AtomicCodec>: Sendable {
    /// What reads and writes the format.
    package let codec: Codec

    package init(_ codec: Codec) { self.codec = codec }

    /// Puts a file in place without a store around it.
    package func save(
        _ contents: TableContents,
        _ model: ManagedObjectModel,
        to path: String,
        _ external: ExternalValues = ExternalValues(directory: nil)
    ) throws {
        try AtomicReplacement.prepare(path: path, forcing: .nothing) { sink in
            try codec.write(contents, model: model, external: external, to: &sink)
        }.commit()
    }

    /// A new file with some contents.
    package func saved(_ contents: TableContents, _ model: ManagedObjectModel) throws -> ScratchFile {
        let scratch = try ScratchFile()
        try save(contents, model, to: scratch.path)
        return scratch
    }

    /// Reads a file without a store around it.
    package func load(
        _ path: String,
        _ model: ManagedObjectModel,
        _ external: ExternalValues = ExternalValues(directory: nil)
    ) throws -> TableContents {
        try codec.load(path, model: model, external: external)
    }

    /// Empty contents to be filled with rows.
    package func builder(_ model: ManagedObjectModel) -> ContentsBuilder {
        var builder = ContentsBuilder(model, type: codec.type, referenceScope: codec.referenceScope)
        builder.contents.metadata.holdsWholeModel = codec.holdsWholeModel
        return builder
    }
}
