import CoreData
import Testing

struct ErrorCodeTests {
    @Test("Errors are caught by their codes") func catching() {
        let error: any Error = NSError(domain: NSCocoaErrorDomain, code: NSValidationMissingMandatoryPropertyError)
        do { throw error } catch CocoaError.validationMissingMandatoryProperty {} catch { Issue.record("\(error) was not caught") }
        #expect((error as? CocoaError)?.code == .validationMissingMandatoryProperty)
    }

    @Test("An error says what it is about") func userInfo() throws {
        let predicate = NSPredicate(value: true)
        let error: any Error = NSError(
            domain: NSCocoaErrorDomain, code: NSManagedObjectValidationError,
            userInfo: [
                NSValidationKeyErrorKey: "name", NSValidationValueErrorKey: "x", NSValidationPredicateErrorKey: predicate,
                NSAffectedObjectsErrorKey: [NSNull()],
            ])
        let cocoa = try #require(error as? CocoaError)
        #expect(cocoa.validationKey == "name")
        #expect(cocoa.validationValue as? String == "x")
        #expect(cocoa.validationPredicate === predicate)
        #expect(cocoa.affectedObjects?.count == 1)
        #expect(cocoa.validationObject == nil)
        #expect(cocoa.persistentStoreSaveConflicts == nil)
    }

    @Test("Codes are Apple's numbers")
    func numbers() {
        let numbers: [(CocoaError.Code, Int)] = [
            (.validationMultipleErrors, 1560), (.managedObjectReferentialIntegrity, 133000), (.managedObjectMerge, 133020),
            (.managedObjectConstraintMerge, 133021), (.persistentStoreIncompatibleVersionHash, 134100), (.sqlite, 134180),
            (.inferredMappingModel, 134190), (.persistentStoreTimeout, 134090),
        ]
        for (code, number) in numbers { #expect(code.rawValue == number) }
        #expect(NSPersistentHistoryTokenExpiredError == 134301)
        #expect(NSStagedMigrationBackwardMigrationError == 134506)
    }
}
