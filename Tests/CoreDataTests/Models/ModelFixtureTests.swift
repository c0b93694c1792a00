import CoreData
import StrataTestSupport
import Testing

@Suite(.enabled(if: Fixtures.areAvailable)) struct ModelFixtureTests {
    @Test("A model that Xcode wrote keeps its hashes when it is copied and used", arguments: Fixtures.modelBundles)
    func hashes(_ bundle: String) throws {
        let url = URL(fileURLWithPath: Fixtures.path(bundle))
        let checksums = try NSManagedObjectModel.checksumsForVersionedModel(at: url)
        for (version, checksum) in checksums {
            let modelURL = url.appendingPathComponent("\(version).xcdatamodel")
            let model = try #require(NSManagedObjectModel(contentsOf: modelURL))
            #expect(model.versionChecksum == checksum)
            let copy = try #require(model.copy() as? NSManagedObjectModel)
            #expect(copy == model)
            // The classes are those of other programs.
            for entity in copy.entities { entity.managedObjectClassName = nil }
            _ = NSPersistentStoreCoordinator(managedObjectModel: copy)
            #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        }
    }
}
