import Foundation
import Strata
import StrataTestModels

/// What deleted objects leave.
enum TombstoneCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A deleted object leaves the values that its model preserves, as they were saved last, and no others", in: .events)
        {
            environment in
            let stack = try environment.stack(Models.devices)
            let context = stack.context()
            let (phone, site) = (try context.device("Phone", "p1"), try context.add("Site", "home"))
            try context.save()
            let picture = Data(repeating: 7, count: 300_000)
            try phone.setValue(picture, forKey: "picture")
            try phone.setValue("12", forKey: "number")
            try context.save()
            try phone.setValue("changed, and never saved", forKey: "serial")
            let heard = Heard(stack.coordinator)
            let ids = [phone.objectID, site.objectID]
            for object in [phone, site] { context.delete(object) }
            try context.save()
            let changes = try heard.only()
            try expectEqual(Set(changes.deleted.map(\.id)), Set(ids))
            let expected: [String: Value] = ["serial": "p1", "number": "12", "picture": .data(picture), "made": .null]
            try expectEqual(changes.tombstones, [ids[0]: expected])
        }
        ConformanceCase("Batch deletes leave tombstones, by a condition and by IDs", in: .events) { environment in
            let stack = try environment.stack(Models.devices)
            let context = stack.context()
            let devices = try (0..<4).map { try context.device($0 < 3 ? "Device" : "Phone", "s\($0)") }
            let site = try context.add("Site", "home")
            try context.save()
            let heard = Heard(stack.coordinator)
            try expectEqual(try context.execute(BatchDeleteRequest(entityName: "Device", key("serial") != "s0")).count, 3)
            let serials = try heard.only().tombstones.mapValues { $0["serial"] }
            try expectEqual(serials.count, 3)
            for index in 1..<4 { try expectEqual(serials[devices[index].objectID], .string("s\(index)")) }
            try context.execute(BatchDeleteRequest(objectIDs: [devices[0].objectID]))
            try expectEqual(try heard.only().tombstones, [devices[0].objectID: ["serial": "s0", "made": .null]])
            try context.execute(BatchDeleteRequest(objectIDs: [site.objectID]))
            try expectEqual(try heard.only().tombstones, [:])
        }
        ConformanceCase("What a delete rule reaches leaves its tombstone too", in: .events) { environment in
            let stack = try environment.stack(Models.devices)
            let context = stack.context()
            let site = try context.add("Site", "home")
            let devices = try (0..<2).map { try context.device("Device", "s\($0)") }
            for device in devices { try device.setValue(site, forKey: "site") }
            try context.save()
            let heard = Heard(stack.coordinator)
            try context.execute(BatchDeleteRequest(entityName: "Site"))
            try expectEqual(Set(try heard.only().tombstones.keys), Set(devices.map(\.objectID)))
        }
        ConformanceCase("Objects deleted in several stores at once leave their tombstones in the event", in: .federation) { environment in
            let stores = environment.members.enumerated().map {
                environment.description("store \($0)", of: $1, configuration: "devices")
            }
            let stack = try environment.stack(try Models.devices.get(), stores: stores)
            let context = stack.context()
            let devices = try stack.coordinator.stores.enumerated().map { index, store in
                let device = try context.device("Device", "s\(index)")
                try context.assign(device, to: store)
                return device
            }
            try context.save()
            let heard = Heard(stack.coordinator)
            let ids = devices.map(\.objectID)
            for device in devices { context.delete(device) }
            try context.save()
            let event = try heard.onlyEvent()
            try expectEqual(event.stores.count, stores.count)
            for (index, id) in ids.enumerated() {
                let changes = try unwrap(event.stores.first { $0.storeID == id.storeID })
                try expectEqual(changes.tombstones, [id: ["serial": .string("s\(index)"), "made": .null]])
            }
        }
    }
}

extension Models {
    /// Devices, of which some values are preserved when they are deleted, at sites, of which none is.
    static let devices = ModelResult.declared {
        Entity("Device") {
            Attribute("serial", .string).preservedOnDeletion
            Attribute("made", .date).preservedOnDeletion
            Attribute("name", .string)
            Attribute("note", .string).transient.preservedOnDeletion
            Relationship("site", to: "Site", inverse: "devices")
        }
        Entity("Phone", parent: "Device") {
            Attribute("number", .string).preservedOnDeletion
            Attribute("picture", .binary).externalStorage.preservedOnDeletion
        }
        Entity("Site") {
            Attribute("name", .string)
            Relationship("devices", to: "Device", inverse: "site", .toMany, deleteRule: .cascade)
        }
        EntityConfiguration("devices", "Device", "Phone", "Site")
    }
}

extension ManagedObjectContext {
    func device(_ entity: String, _ serial: String) throws -> ManagedObject {
        let device = try add(entity, "a name")
        try device.setValue(serial, forKey: "serial")
        return device
    }
}
