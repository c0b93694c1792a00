import CoreData
import Testing

struct ThrownErrorTests {
    private func context() throws -> NSManagedObjectContext {
        let (name, age, code) = (NSAttributeDescription(), NSAttributeDescription(), NSAttributeDescription())
        (name.name, name.attributeType, name.isOptional) = ("name", .stringAttributeType, false)
        (age.name, age.attributeType) = ("age", .integer64AttributeType)
        age.setValidationPredicates([NSPredicate(format: "SELF <= 150")], withValidationWarnings: ["too old to be true"])
        (code.name, code.attributeType) = ("code", .stringAttributeType)
        return try MemoryStack.context(
            of: OneEntityModel.make("Person", properties: [name, age, code], uniquenessConstraints: [["code"]]))
    }

    private func error(_ context: NSManagedObjectContext) throws -> NSError {
        let error = #expect(throws: (any Error).self) { try context.save() }
        return try #require(error) as NSError
    }

    @Test("A missing value is reported with its object and key") func missing() throws {
        let context = try context()
        try context.performAndWait {
            let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            let error = try error(context)
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.code == NSValidationMissingMandatoryPropertyError)
            #expect(error.localizedDescription == "name is a required value.")
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "name")
            #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === person)
            #expect(error.userInfo[NSValidationValueErrorKey] == nil)
        }
    }

    // It was told as 1550, whatever number the model had for it.
    @Test("A violated condition is reported with its number in the model") func numbered() throws {
        let born = PeopleModel.attribute("born", .dateAttributeType)
        let start = Date(timeIntervalSinceReferenceDate: 0)
        born.setValidationPredicates(
            [NSPredicate(format: "SELF > %@", start as NSDate), NSPredicate(format: "SELF != %@", start as NSDate)],
            withValidationWarnings: [NSValidationDateTooSoonError, NSValidationInvalidDateError])
        let context = try MemoryStack.context(of: OneEntityModel.make("Person", properties: [born]))
        try context.performAndWait {
            let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            person.setValue(start.addingTimeInterval(-1), forKey: "born")
            let single = try error(context)
            #expect(single.code == NSValidationDateTooSoonError)
            #expect(single.userInfo[NSValidationPredicateErrorKey] as? NSPredicate == born.validationPredicates.first)
            person.setValue(start, forKey: "born")
            let details = try #require(try error(context).userInfo[NSDetailedErrorsKey] as? [NSError])
            #expect(details.map(\.code) == [NSValidationDateTooSoonError, NSValidationInvalidDateError])
            person.setValue(start.addingTimeInterval(1), forKey: "born")
            try context.save()
        }
    }

    @Test("Several failures are one error that has them all") func several() throws {
        let context = try context()
        try context.performAndWait {
            let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            person.setValue(200, forKey: "age")
            let error = try error(context)
            #expect(error.code == NSValidationMultipleErrorsError)
            #expect(error.localizedDescription == "Multiple validation errors occurred.")
            let details = try #require(error.userInfo[NSDetailedErrorsKey] as? [NSError])
            #expect(details.map(\.code).sorted() == [NSManagedObjectValidationError, NSValidationMissingMandatoryPropertyError])
            let age = try #require(details.first { $0.code == NSManagedObjectValidationError })
            #expect(age.localizedDescription == "too old to be true")
            #expect(age.userInfo[NSValidationValueErrorKey] as? Int == 200)
            #expect((age.userInfo[NSValidationPredicateErrorKey] as? NSPredicate)?.evaluate(with: 150) == true)
            #expect((age.userInfo[NSValidationPredicateErrorKey] as? NSPredicate)?.evaluate(with: 151) == false)
        }
    }

    @Test("A violated constraint is reported with the objects that have the same values") func constraint() throws {
        let context = try context()
        try context.performAndWait {
            for _ in 0..<2 {
                let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
                person.setValue("Ada", forKey: "name")
                person.setValue("7", forKey: "code")
            }
            let error = try error(context)
            #expect(error.code == NSManagedObjectConstraintMergeError)
            let conflicts = try #require(error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict])
            #expect(conflicts.first?.constraint == ["code"])
            #expect(conflicts.first?.conflictingObjects.count == 2)
        }
    }

    @Test("A missing file is reported as Foundation reports it") func file() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        let url = URL(fileURLWithPath: "/nowhere/at/all.sqlite")
        let error = #expect(throws: (any Error).self) {
            try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        }
        let cocoa = try #require(error as? CocoaError)
        #expect(cocoa.code == .fileReadNoSuchFile)
        #expect((cocoa as NSError).userInfo[NSFilePathErrorKey] as? String == url.path)
    }
}
