import Foundation

/// The recipes that a server sends, in JSON.
struct RecipeFeed: Decodable {
    struct Item: Decodable {
        var identifier: UUID
        var name: String
        var course: String?
        var overview: String?
        var minutes: Int
        var difficulty: String?
        var rating: Double?
        var tags: [String]?
        var source: Origin?
        var ingredients: [Part]
    }

    struct Part: Decodable {
        var name: String
        var value: Double?
        var unit: String?
        var amount: String?
    }

    /// A book, or a site.
    struct Origin: Decodable {
        var title: String
        var author: String?
        var page: Int16?
        var url: URL?
    }

    /// A feed that is among the resources, for previews.
    static var sampleURL: URL? { Bundle.module.url(forResource: "recipes", withExtension: "json") }

    private(set) var items: [Item] = []
    /// How many recipes of the feed were left out, since they lack something.
    private(set) var skipped = 0

    private enum RootKeys: String, CodingKey { case recipes }
    private enum ItemKeys: String, CodingKey {
        case identifier = "id"
        case name, course, overview, minutes, difficulty, rating, tags, source, ingredients
    }

    init(from decoder: any Decoder) throws {
        let root = try decoder.container(keyedBy: RootKeys.self)
        var list = try root.nestedUnkeyedContainer(forKey: .recipes)
        while !list.isAtEnd {
            let values = try list.nestedContainer(keyedBy: ItemKeys.self)
            do {
                items.append(try Item(values))
            } catch is ImportError {
                skipped += 1
            }
        }
    }

    init(data: Data) throws {
        do {
            self = try JSONDecoder().decode(RecipeFeed.self, from: data)
        } catch {
            throw ImportError.wrongDataFormat(error)
        }
    }
}

extension RecipeFeed.Item {
    fileprivate init<Keys>(_ values: KeyedDecodingContainer<Keys>) throws {
        func decode<T: Decodable>(_ type: T.Type, _ name: String) throws -> T? {
            guard let key = Keys(stringValue: name) else { return nil }
            return try values.decodeIfPresent(type, forKey: key)
        }
        guard let identifier = try decode(UUID.self, "id"), let name = try decode(String.self, "name"), !name.isEmpty else {
            throw ImportError.missingData
        }
        self.identifier = identifier
        self.name = name
        course = try decode(String.self, "course")
        overview = try decode(String.self, "overview")
        minutes = try decode(Int.self, "minutes") ?? 0
        difficulty = try decode(String.self, "difficulty")
        rating = try decode(Double.self, "rating")
        tags = try decode([String].self, "tags")
        source = try decode(RecipeFeed.Origin.self, "source")
        ingredients = try decode([RecipeFeed.Part].self, "ingredients") ?? []
    }

    /// The attributes, as a batch insertion takes them.
    var dictionaryValue: [String: Any] {
        var dictionary: [String: Any] = [
            "identifier": identifier, "name": name, "preparationMinutes": minutes, "createdAt": Date(),
        ]
        dictionary["overview"] = overview
        dictionary["rating"] = rating
        dictionary["difficulty"] = difficulty.flatMap(Difficulty.init(name:))?.rawValue
        return dictionary
    }
}
