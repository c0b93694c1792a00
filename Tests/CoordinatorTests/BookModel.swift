import Strata
import StrataModel

/// Books with attributes that their tombstones preserve, and shelves without.
enum BookModel {
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Book") {
                Attribute("isbn", .string).preservedOnDeletion
                Attribute("name", .string)
                Attribute("pages", .integer64).preservedOnDeletion
                Attribute("price", .double)
            }
            Entity("Shelf") { Attribute("name", .string) }
        }
    }
}
