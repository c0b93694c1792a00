import CoreData
import Foundation
import Testing

/// An object whose own validation replaces values.
private final class Replacing: NSManagedObject {
    override func validateValue(_ value: UnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
        try super.validateValue(value, forKey: key)
        guard key == "code", let code = value.pointee as? String else { return }
        if code == "none" { value.pointee = nil }
        if code == "long" { value.pointee = NSString(string: "much longer than ten") }
        if code == "padded " { value.pointee = NSString(string: "padded") }
    }
}

/// What a validation made of a value was saved whatever the model said of it: a mandatory attribute without a value, too.
@Suite("What a validation makes of a value")
struct ReplacedValueTests {
    private let context: NSManagedObjectContext
    private let object: NSManagedObject

    init() throws {
        let model = OneEntityModel.make("Item", "code", .stringAttributeType)
        let entity = try #require(model.entitiesByName["Item"])
        entity.managedObjectClassName = NSStringFromClass(Replacing.self)
        let code = try #require(entity.attributesByName["code"])
        code.isOptional = false
        code.setValidationPredicates([NSPredicate(format: "length <= 10")], withValidationWarnings: [])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        object = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
    }

    @Test("A mandatory value that a validation takes away is missing") func mandatory() throws {
        object.setValue("none", forKey: "code")
        let error = #expect(throws: (any Error).self) { try context.save() } as NSError?
        #expect(error?.code == NSValidationMissingMandatoryPropertyError)
        object.setValue("some", forKey: "code")
        try context.save()
    }

    @Test("A rule of the model holds for what a validation makes of a value") func rule() throws {
        object.setValue("long", forKey: "code")
        let error = #expect(throws: (any Error).self) { try context.save() } as NSError?
        #expect(error?.domain == NSCocoaErrorDomain)
    }

    @Test("What the rules allow is saved") func allowed() throws {
        object.setValue("padded ", forKey: "code")
        try context.save()
        context.reset()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        #expect(try context.fetch(request).map { $0.value(forKey: "code") as? String } == ["padded"])
    }
}
