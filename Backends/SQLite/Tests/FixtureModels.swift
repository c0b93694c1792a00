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
                Attributes(["firstName": .string, "id": .uuid])
                Attribute("isDriving", .boolean).transient
                Attributes(["lastName": .string, "updatedAt": .date])
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
                Attributes(["firstName": .string, "lastName": .string, "updatedAt": .date])
                Relationship("cars", to: "Car", inverse: "owner", .toMany)
                Unique("firstName", "lastName")
            }
        }
    }

    static func users() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("User") { Attributes(["name": .string, "petName": .string]) }
        }
    }

    /// The versions 1 to 5 of one application's model.
    static func moody(_ version: Int) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Mood") {
                Attributes([
                    "colors": .transformable, "creatorID": .string, "date": .date, "latitude": .double, "longitude": .double,
                    "markedForDeletionDate": .date, "markedForRemoteDeletion": .boolean,
                ])
                if version > 1 { Attribute("rating", .integer16) }
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
            Attributes([
                "markedForDeletionDate": .date, "numberOfMoods": .integer64, "numericISO3166Code": .integer16,
                "uniquenessDummy": .integer16, "updatedAt": .date,
            ])
            Unique("numericISO3166Code", "uniquenessDummy")
            parts()
        }
    }

    @EntityBuilder
    private static func continent(_ version: Int) -> [any EntityElement] {
        Attribute("numberOfCountries", .integer64)
        Relationship("countries", to: "Country", inverse: "continent", .toMany)
        if version > 2 { Relationship("moods", to: "Mood", inverse: "continent", .toMany) }
    }

    @EntityBuilder
    private static func country(_ version: Int) -> [any EntityElement] {
        if version == 5 { Attribute("isoContinent", .integer16) } else { Relationship("continent", to: "Continent", inverse: "countries") }
        Relationship("moods", to: "Mood", inverse: "country", .toMany)
    }

    static func recipes() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Image", attributes: ["image": .transformable], relationships: ["recipe": .toOne("Recipe.image")])
            Entity("Ingredient") {
                Attributes(["amount": .string, "displayOrder": .integer16, "name": .string])
                Relationship("recipe", to: "Recipe", inverse: "ingredients")
            }
            Entity("Recipe") {
                Attributes([
                    "instructions": .string, "name": .string, "overview": .string, "prepTime": .string,
                    "thumbnailImage": .transformable,
                ])
                Relationships([
                    "image": .toOne("Image.recipe"), "ingredients": .toMany("Ingredient.recipe"),
                    "type": .toOne("RecipeType.recipes"),
                ])
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
                Relationship("user", to: "User", inverse: "tweets")
            }
            Entity("User") {
                Attributes(["name": .string, "screenName": .string, "userID": .integer64])
                Relationship("tweets", to: "Tweet", inverse: "user", .toMany)
            }
        }
    }
}
