import Strata
import Testing

/// Messages about what a model declares: composite attributes and fetched properties.
@Suite("Messages about elements and fetched properties")
struct ModelledMessageTests {
    private let context: ManagedObjectContext
    private let parcel: ManagedObject

    init() throws {
        let model = try ManagedObjectModel {
            Entity("Parcel") {
                Attribute("weight", .integer16)
                Attribute("address") {
                    Attribute("street", .string)
                    Attribute("zip", .string)
                }
                FetchedProperty("twins", to: "Parcel", predicate: "weight == $FETCHED_PROPERTY.weight")
            }
        }
        let coordinator = try PersistentStoreCoordinator(inMemory: model)
        context = ManagedObjectContext(coordinator)
        parcel = try context.insert("Parcel")
    }

    private func message(_ body: () throws -> Void) -> String? {
        do { try body() } catch { return (error as? StoreError)?.message ?? (error as? QueryError)?.message ?? "\(error)" }
        return nil
    }

    @Test("A key that a composite attribute or a fetched property does not have is refused with the reason")
    func keys() throws {
        #expect(
            message { try parcel.setValue(["house": 1] as [String: Any], forKey: "address") } == "address.house is no element of Parcel")
        #expect(
            message { _ = try parcel.fetchedObjects("twins") } == "a fetched property has a name and userInfo")
    }
}
