import StrataModel
import StrataTestModels

/// The models of stores that Apple's Core Data wrote.
enum FixtureModels {
    static func carsV1() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Car") {
                Attribute("color", .transformable)
                Attribute("currentDrivingSpeed", .integer64).transient
                Attributes(["maker": .string, "markedForDeletionAsOf": .date, "model": .string])
                Attribute("numberPlate", .string).required
                Relationship("owner", to: "Person", inverse: "cars")
                Unique("numberPlate")
            }
            Entity("SportCar", parent: "Car")
            Entity("ExpensiveSportCar", parent: "SportCar") { Attribute("isLimitedEdition", .boolean) }
            Entity("Person") {
                Attributes(["firstName": .string, "lastName": .string])
                Attribute("id", .uuid).required.preservedOnDeletion
                Attribute("isDriving", .boolean).transient
                Attribute("updatedAt", .date).required
                Relationship("cars", to: "Car", inverse: "owner", .toMany)
                Unique("firstName", "lastName")
            }
        }
    }

    static func carsV2() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Car") {
                Attributes(["maker": .string, "markedForDeletionAsOf": .date, "model": .string])
                Attribute("numberPlate", .string).required
                Relationship("owner", to: "Person", inverse: "cars")
                FetchIndex("byMakerAndNumberPlate", on: "maker", "numberPlate")
                Unique("numberPlate")
            }
            Entity("SportCar", parent: "Car")
            Entity("LuxuryCar", parent: "SportCar") { Attribute("isLimitedEdition", .boolean) }
            Entity("Person") {
                Attributes(["firstName": .string, "lastName": .string])
                Attribute("updatedAt", .date).required
                Relationship("cars", to: "Car", inverse: "owner", .toMany)
                Unique("firstName", "lastName")
            }
        }
    }

    static func users() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("User") {
                Attribute("name", .string).required
                Attribute("petName", .string)
            }
        }
    }

    /// The versions 1 to 5 of one application's model.
    static func moody(_ version: Int) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Mood") {
                Attributes([
                    "colors": .transformable, "creatorID": .string, "latitude": .double, "longitude": .double,
                    "markedForDeletionDate": .date,
                ])
                Attribute("date", .date).required
                Attribute("markedForRemoteDeletion", .boolean).required
                if version > 1 { Attribute("rating", .integer16).required }
                Attribute(version > 1 ? "remoteID" : "remoteIdentifier", .string)
                if version == 3 || version == 4 { Relationship("continent", to: "Continent", inverse: "moods") }
                Relationship("country", to: "Country", inverse: "moods")
            }
            if version < 4 {
                region("GeographicRegion", isAbstract: true) {}
                Entity("Continent", parent: "GeographicRegion") { continent(version) }
                Entity("Country", parent: "GeographicRegion") { country(version) }
            } else {
                region("Country") { country(version) }
                if version == 4 { region("Continent") { continent(version) } }
            }
        }
    }

    private static func region(
        _ name: String,
        isAbstract: Bool = false,
        @EntityBuilder _ parts: () -> [any EntityElement]
    ) -> Entity {
        Entity(name, isAbstract: isAbstract) {
            Attribute("markedForDeletionDate", .date)
            Attribute("numberOfMoods", .integer64).required
            for name in ["numericISO3166Code", "uniquenessDummy"] { Attribute(name, .integer16).required }
            Attribute("updatedAt", .date).required
            Unique("numericISO3166Code", "uniquenessDummy")
            parts()
        }
    }

    @EntityBuilder
    private static func continent(_ version: Int) -> [any EntityElement] {
        Attribute("numberOfCountries", .integer64).required
        Relationship("countries", to: "Country", inverse: "continent", .toMany).required
        if version > 2 { Relationship("moods", to: "Mood", inverse: "continent", .toMany).required }
    }

    @EntityBuilder
    private static func country(_ version: Int) -> [any EntityElement] {
        if version == 5 { Attribute("isoContinent", .integer16) } else { Relationship("continent", to: "Continent", inverse: "countries") }
        Relationship("moods", to: "Mood", inverse: "country", .toMany).required
    }

    static func recipes() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Image") {
                Attribute("image", .transformable)
                Relationship("recipe", to: "Recipe", inverse: "image", minCount: 1).required
            }
            Entity("Ingredient") {
                Attribute("amount", .string)
                Attribute("displayOrder", .integer16).required
                Attribute("name", .string).required
                Relationship("recipe", to: "Recipe", inverse: "ingredients", minCount: 1)
            }
            Entity("Recipe") {
                Attributes([
                    "instructions": .string, "name": .string, "overview": .string, "prepTime": .string,
                    "thumbnailImage": .transformable,
                ])
                Relationship("image", to: "Image", inverse: "recipe", minCount: 1)
                Relationship("ingredients", to: "Ingredient", inverse: "recipe", .toMany)
                Relationship("type", to: "RecipeType", inverse: "recipes", minCount: 1)
            }
            Entity("RecipeType", attributes: ["name": .string], relationships: ["recipes": .toMany("Recipe.type")])
        }
    }

    static func tweets() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Tweet") {
                Attributes([
                    "createdAt": .date, "inReplyToScreenName": .string, "isFavorited": .boolean, "statusID": .integer64,
                    "text": .string, "urlString": .string,
                ])
                Relationship("user", to: "User", inverse: "status", minCount: 1)
            }
            Entity("User") {
                Attributes(["name": .string, "screenName": .string, "userID": .integer64])
                Relationship("status", to: "Tweet", inverse: "user", .toMany)
            }
        }
    }
}
