import CoreData
import Testing

@Suite("Stores that are migrated as they are opened")
struct AutomaticMigrationTests {
    private let folder: MigratingModels.Folder

    init() throws { folder = try MigratingModels.Folder() }

    @Test("The options say whether a store is migrated, and whether the mapping is inferred", arguments: MigratingModels.types)
    func options(_ type: NSPersistentStore.StoreType) throws {
        let url = folder.file("store")
        try MigratingModels.write(type, at: url)
        func code(_ migrates: Bool, _ infers: Bool) -> Int? {
            let options: [AnyHashable: Any] = [
                NSMigratePersistentStoresAutomaticallyOption: migrates, NSInferMappingModelAutomaticallyOption: infers,
            ]
            do { _ = try MigratingModels.contents(type, at: url, MigratingModels.second(), options: options) } catch {
                return (error as NSError).code
            }
            return nil
        }
        #expect(code(false, false) == NSPersistentStoreIncompatibleVersionHashError)
        #expect(code(false, true) == NSPersistentStoreIncompatibleVersionHashError)
        #expect(code(true, false) == NSMigrationMissingMappingModelError)
        #expect(code(true, true) == nil)
        #expect(try MigratingModels.contents(type, at: url, MigratingModels.second()) == ["Ada Lovelace, 36, -, Puff"])
    }
}
