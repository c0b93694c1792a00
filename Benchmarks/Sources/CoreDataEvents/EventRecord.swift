import CoreData
import StrataWorkload

final class EventRecord: NSManagedObject, EventFields {
    @NSManaged var id: Int64
    @NSManaged var time: Double
    @NSManaged var title: String
    @NSManaged var detail: String
    @NSManaged var address: String
    @NSManaged var rank: Int64
    @NSManaged var bucket: Int64

    func fill(_ event: Event) {
        id = event.id
        time = event.time
        title = event.title
        detail = event.detail
        address = event.address
        rank = event.rank
        bucket = event.bucket
    }
}

extension EventRecord {
    static func makeEntity() -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = "Event"
        entity.managedObjectClassName = NSStringFromClass(EventRecord.self)
        entity.properties = [
            attribute("id", .integer64AttributeType), attribute("time", .doubleAttributeType), attribute("title", .stringAttributeType),
            attribute("detail", .stringAttributeType), attribute("address", .stringAttributeType),
            attribute("rank", .integer64AttributeType), attribute("bucket", .integer64AttributeType),
        ]
        return entity
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = false
        return attribute
    }
}
