import StrataModel
import StrataModelFiles
import Testing

/// Each message of a compiled model that is refused.
@Suite("Messages of compiled models") struct ArchiveMessageTests {
    private func message(_ bytes: [UInt8], _ change: (inout ModelFileLimits) -> Void = { _ in }) -> String? {
        var limits = ModelFileLimits()
        change(&limits)
        do throws(ModelFileError) {
            _ = try ModelFile(compiled: bytes, limits: limits)
            return nil
        } catch { return error.message }
    }

    private static func model(_ entities: [String: Archived]) -> Archived {
        .object("NSManagedObjectModel", ["NSEntities": .dictionary(entities)])
    }

    private static func entity(_ properties: [String: Archived]) -> Archived {
        model(["A": .object("NSEntityDescription", ["NSEntityName": .text("A"), "NSProperties": .dictionary(properties)])])
    }

    private static func composite(_ elements: [Archived]) -> Archived {
        .object("NSCompositeAttributeDescription", ["NSPropertyName": .text("c"), "NSElements": .list(elements)])
    }

    @Test(
        "An archive that is not one of a model is refused with the reason",
        arguments: [
            (Archived.text("x"), "the archive has no root"),
            (.list([]), "the root is of the class NSArray and not NSManagedObjectModel"),
            (model(["A": .text("x")]), "the entity A is missing"),
            (model(["A": .list([])]), "the entity A is of the class NSArray and not NSEntityDescription"),
            (entity(["x": .text("x")]), "the property is missing"),
            (entity(["x": .object("NSThing", [:])]), "a property is of the class NSThing"),
            (entity(["x": .object("NSRelationshipDescription", [:])]), "the relationship has no destination"),
            (
                entity([
                    "x": .object("NSRelationshipDescription", ["_NSDestinationEntityName": .text("A"), "NSDeleteRule": .int(9)])
                ]), "there is no delete rule of the number 9"
            ),
            (
                entity(["x": composite([.object("NSAttributeDescription", ["NSAttributeType": .int(700)])])]),
                "an element of the composite attribute has no name"
            ),
        ]) func archives(_ archive: Archived, _ message: String)
    {
        #expect(self.message(archive.archive) == message)
    }

    @Test("Bytes that are no archive are refused with the reason") func bytes() {
        #expect(message([1, 2, 3]) == "the bytes are no binary property list")
        #expect(message(BinaryPropertyList.Value.dictionary([:]).bytes) == "the property list is no keyed archive")
        var cache: String?
        do throws(ModelFileError) { _ = try ModelFile(modelCache: [0xFF]) } catch { cache = error.message }
        #expect(cache == "the compressed bytes are damaged or end early")
        var limits = ModelFileLimits()
        limits.bytes = 100
        do throws(ModelFileError) { _ = try ModelFile(modelCache: SampleArchive.cache, limits: limits) } catch { cache = error.message }
        #expect(cache == "the bytes become more than 100 when they are decompressed")
    }

    @Test("A compiled model has no source, and is refused for one with the reason") func source() throws {
        let version = try #require(try ModelFile(compiled: Self.entity([:]).archive).versions.first)
        let error = #expect(throws: ModelFileError.self) { try version.source() }
        #expect(error?.code == .noCode)
        #expect(error?.message == "a compiled model does not say what classes are generated for it; its source does")
    }

    @Test("An archive beyond a limit is refused with the limit") func limits() {
        let flat = Self.entity(["x": .object("NSAttributeDescription", ["NSAttributeType": .int(700)])])
        let bytes = flat.archive
        #expect(message(bytes) { $0.bytes = 10 } == "the archive has \(bytes.count) bytes; 10 are allowed")
        #expect(message(bytes) { $0.elements = 9 } == "the archive has more than 9 objects")
        #expect(message(bytes) { $0.entities = 0 } == "there are more than 0 entities")
        #expect(message(bytes) { $0.properties = 1 } == "there are more than 1 properties")
        var nested = Self.composite([])
        for _ in 0..<9 { nested = Self.composite([nested]) }
        #expect(
            message(Self.entity(["c": nested]).archive) { $0.nesting = 8 }
                == "there are too many composite attributes, or one is within itself")
    }
}
