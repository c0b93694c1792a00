import ArgumentParser
import Strata

struct Get: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Prints one object by its URI, with the URIs of its destinations.")

    @OptionGroup var store: StoreArguments
    @Argument(help: "The URI, x-coredata://…/Person/p3, or its end, Person/p3.") var uri: String
    @Flag(help: "Prints JSON.") var json = false

    func run() throws {
        let opened = try store.open()
        let whole = uri.contains("://") ? uri : "x-coredata://\(opened.store.id)/\(uri)"
        guard let id = opened.coordinator.objectID(forURI: whole) else {
            throw CommandFailure(.missing, "\(uri) is no URI of an object in this store")
        }
        let members = try opened.read { context in try ObjectMembers(try context.existingObject(with: id)) }
        if json {
            return try Console.print(JSON.object(Dictionary(uniqueKeysWithValues: members.all.map { ($0.name, $0.value.json) })).lines)
        }
        var table = TextTable(["property", "value"])
        for member in members.all { table.add([member.name, member.value.shortCell]) }
        for line in table.lines { try Console.print(line) }
    }
}

/// The values of an object and its destinations, by the names of its properties.
struct ObjectMembers {
    /// The URI, attributes in the model's order, to-one relationships, and to-many ones as lists.
    let all: [(name: String, value: Value)]

    /// Reads an object.
    ///
    /// - Throws: What the store throws.
    init(_ object: ManagedObject) throws {
        let snapshot = object.snapshot()
        all =
            try [("objectID", .objectID(object.objectID))]
            + object.entity.properties.filter { $0.relationship?.isHidden != true }.map { property in
                guard property.relationship?.isToMany == true else {
                    return (property.name, snapshot.value(forKey: property.name) ?? .null)
                }
                return (property.name, .list(try object.objectIDs(forRelationshipNamed: property.name).map { .objectID($0) }))
            }
        if let error = object.managedObjectContext?.lastFaultError { throw error }
    }
}
