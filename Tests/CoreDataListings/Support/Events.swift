import CoreData

/// Events that are read and written by key, without a class of their own.
@MainActor
enum Events {
    static let model: NSManagedObjectModel = makeModel(
        entity(
            "MXWEvent", NSManagedObject.self,
            [
                attribute("id", .integer64AttributeType, default: 0), attribute("title", .stringAttributeType),
                attribute("isDone", .booleanAttributeType, default: false), attribute("date", .dateAttributeType),
            ]))
}
