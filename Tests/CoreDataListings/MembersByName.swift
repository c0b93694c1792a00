import CoreData
import Foundation
import Testing

/// A person with members that no model has.
class NamedPerson: NSManagedObject {
    @NSManaged var name: String?
    @NSManaged var age: Int16
    @NSManaged var manager: NamedPerson?
    @NSManaged var reports: Set<NamedPerson>

    #if canImport(ObjectiveC)
        @objc
    #endif
    var nickname: String {
        get {
            willAccessValue(forKey: "nickname")
            defer { didAccessValue(forKey: "nickname") }
            return primitiveValue(forKey: "nickname") as? String ?? "none"
        }
        set {
            willChangeValue(forKey: "nickname")
            setPrimitiveValue(newValue.lowercased(), forKey: "nickname")
            didChangeValue(forKey: "nickname")
        }
    }

    #if canImport(ObjectiveC)
        @objc
    #endif
    var initial: String { name.map { String($0.prefix(1)) } ?? "#" }

    #if canImport(ObjectiveC)
        @objc(isAdult)
    #endif
    var adult: Bool { age >= 18 }

    #if canImport(ObjectiveC)
        @objc
    #endif
    var visits: Int32 {
        get { Int32(age) * 10 }
        set { age = Int16(newValue / 10) }
    }

    #if canImport(ObjectiveC)
        @objc
    #endif
    func greeting() -> String { "Hello, \(name ?? "you")" }

    #if canImport(ObjectiveC)
        @objc
    #endif
    func validateAge(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        guard let age = value.pointee as? Int else { return }
        if age < 0 { throw NSError(domain: "People", code: 7, userInfo: [NSLocalizedDescriptionKey: "\(name ?? "") is not born"]) }
        if age > 150 { value.pointee = NSNumber(value: 150) }
    }
}

extension NamedPerson {
    #if canImport(ObjectiveC)
        @objc
    #endif
    func validateManager(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        if value.pointee === self { throw NSError(domain: "People", code: 8) }
    }

    #if canImport(ObjectiveC)
        @objc
    #endif
    func validateReports(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        if let reports = value.pointee as? NSSet, reports.count > 2 { throw NSError(domain: "People", code: 9) }
    }

    #if canImport(ObjectiveC)
        @objc
    #endif
    var friends: [NamedPerson] { [self] }
}

/// An employee finds what a person has, and overrides some.
final class NamedEmployee: NamedPerson {
    override var initial: String { "E" + super.initial }

    override var name: String? {
        get { super.name.map { "Dr. " + $0 } }
        set { super.name = newValue }
    }

    override func value(forUndefinedKey key: String) -> Any? { key == "unknown" ? "?" : super.value(forUndefinedKey: key) }
}

/// Only what a model has was found by its name.
@Suite("Members of classes by name")
struct MembersByName {
    private let context: NSManagedObjectContext

    init() throws {
        let model = NSManagedObjectModel()
        let person = NSEntityDescription()
        person.name = "NamedPerson"
        person.managedObjectClassName = NSStringFromClass(NamedPerson.self)
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        name.isOptional = true
        let age = NSAttributeDescription()
        age.name = "age"
        age.attributeType = .integer16AttributeType
        age.defaultValue = 20
        let manager = NSRelationshipDescription()
        manager.name = "manager"
        manager.destinationEntity = person
        manager.maxCount = 1
        let reports = NSRelationshipDescription()
        reports.name = "reports"
        reports.destinationEntity = person
        (manager.inverseRelationship, reports.inverseRelationship) = (reports, manager)
        let nickname = NSAttributeDescription()
        nickname.name = "nickname"
        nickname.attributeType = .stringAttributeType
        person.properties = [name, age, nickname, manager, reports]
        let employee = NSEntityDescription()
        employee.name = "NamedEmployee"
        employee.managedObjectClassName = NSStringFromClass(NamedEmployee.self)
        person.subentities = [employee]
        model.entities = [person, employee]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    private func make<T: NamedPerson>(_ type: T.Type, _ name: String, age: Int16 = 20) -> T {
        let person = T(context: context)
        person.name = name
        person.age = age
        return person
    }

    @Test("Values by key are those of properties and of methods, numbers as NSNumber") func values() {
        let ada = make(NamedPerson.self, "Ada")
        #expect(ada.value(forKey: "initial") as? String == "A")
        #expect(ada.value(forKey: "adult") as? Bool == true)
        #expect(ada.value(forKey: "isAdult") as? Bool == true)
        #expect(ada.value(forKey: "visits") as? Int == 200)
        #expect(ada.value(forKey: "greeting") as? String == "Hello, Ada")
        #expect(ada.value(forKeyPath: "friends.initial") as? [String] == ["A"])
        #expect(ada.dictionaryWithValues(forKeys: ["initial", "name"]) as? [String: String] == ["initial": "A", "name": "Ada"])
    }

    /// Libraries make keys of key paths: one to a property that the entity does not have had none.
    @Test("A key path to a member that is found by name has that name as its key") func keyPaths() {
        let paths: [AnyKeyPath] = [\NamedPerson.initial, \NamedPerson.visits, \NamedPerson.adult, \NamedPerson.friends, \NamedPerson.age]
        #expect(paths.map(\._kvcKeyPathString) == ["initial", "visits", "isAdult", "friends", "age"])
        #expect(NSExpression(forKeyPath: \NamedPerson.visits).keyPath == "visits")
    }

    @Test("A property is set by its key, by a number of any type") func setting() {
        let ada = make(NamedPerson.self, "Ada")
        ada.setValue(300, forKey: "visits")
        #expect(ada.age == 30)
        ada.setValue(NSNumber(value: 410.7), forKeyPath: "visits")
        #expect(ada.age == 41)
    }

    /// A key path over objects to their IDs is common, and ended the program.
    @Test("What every managed object has is found, too") func own() {
        let ada = make(NamedPerson.self, "Ada")
        #expect(ada.value(forKey: "objectID") as? NSManagedObjectID == ada.objectID)
        #expect(ada.value(forKeyPath: "friends.objectID") as? [NSManagedObjectID] == [ada.objectID])
        #expect(NSPredicate(format: "isInserted == YES").evaluate(with: ada))
        #expect(ada.value(forKey: "self") as? NSManagedObject === ada)
    }

    @Test("A subclass finds what its superclass has, and its own first") func inheriting() {
        let eve = make(NamedEmployee.self, "Eve")
        #expect(eve.value(forKey: "initial") as? String == "ED")
        #expect(eve.value(forKey: "greeting") as? String == "Hello, Dr. Eve")
        #expect(eve.value(forKey: "unknown") as? String == "?")
    }

    /// A key came to what the model keeps, whatever accessor the class had for it.
    @Test("An accessor of the class's own goes before what the model keeps, also in a predicate in memory") func ownAccessors() throws {
        let ada = make(NamedPerson.self, "Ada")
        #expect(ada.value(forKey: "nickname") as? String == "none")
        ada.setValuesForKeys(["nickname": "ADDY"])
        #expect(ada.value(forKeyPath: "nickname") as? String == "addy")
        #expect(NSPredicate(format: "nickname == 'addy' AND name == 'Ada'").evaluate(with: ada))
        let bob = make(NamedPerson.self, "Bob")
        #expect(NSPredicate(format: "nickname == 'none'").evaluate(with: bob))
        let eve = make(NamedEmployee.self, "Eve")
        #expect(eve.value(forKey: "name") as? String == "Dr. Eve")
        eve.setValue("Ann", forKey: "name")
        #expect(eve.primitiveValue(forKey: "name") as? String == "Ann")
        #expect([eve, ada].filter(NSPredicate(format: "name BEGINSWITH 'Dr.'").evaluate) == [eve])
    }

    @Test("Predicates in memory, sort descriptors and sections find them") func asking() throws {
        let people = ["Bob", "Ada", "Ann"].map { make(NamedPerson.self, $0) }
        try context.save()
        #expect(people.filter(NSPredicate(format: "initial == 'A'").evaluate).map(\.name) == ["Ada", "Ann"])
        let request = NSFetchRequest<NamedPerson>(entityName: "NamedPerson")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "initial", cacheName: nil)
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["A", "B"])
        #expect(controller.sections?.map(\.numberOfObjects) == [2, 1])
    }

    @Test("A method that validates a property is asked by a save, and by validateValue; what it makes of the value is saved")
    func validating() throws {
        let ada = make(NamedPerson.self, "Ada", age: -1)
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.domain == "People")
        #expect(error?.code == 7)
        ada.age = 200
        try context.save()
        #expect(ada.age == 150)
        var value: AnyObject? = NSNumber(value: -5)
        #expect(throws: NSError.self) { try ada.validateValue(&value, forKey: "age") }
        let eve = make(NamedEmployee.self, "Eve", age: -1)
        #expect(throws: NSError.self) { try context.save() }
        context.delete(eve)
        try context.save()
    }

    /// Only attributes were handed to methods that validate.
    @Test("Relationships are validated by their methods, with the object or the set") func validatingRelationships() throws {
        let ada = make(NamedPerson.self, "Ada")
        ada.manager = ada
        #expect(#expect(throws: NSError.self) { try context.save() }?.code == 8)
        ada.manager = nil
        try context.save()
        for name in ["Bob", "Cleo", "Dan"] { make(NamedPerson.self, name).manager = ada }
        #expect(#expect(throws: NSError.self) { try context.save() }?.code == 9)
        ada.reports.first?.manager = nil
        try context.save()
        #expect(ada.reports.count == 2)
        var value: AnyObject? = ada
        #expect(throws: NSError.self) { try ada.validateValue(&value, forKey: "manager") }
    }
}
