import CoreData
import Foundation

/// Numbers about the cookbook, which the store counts: no recipe is loaded for them.
struct CookbookStatistics {
    struct CourseSummary: Equatable {
        var course: String
        var recipes: Int
        var averageRating: Double
        var longest: Int
    }

    let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) { self.context = context }

    /// One line for each course, by name.
    func courses() throws -> [CourseSummary] {
        let request = NSFetchRequest<NSDictionary>(entityName: "Recipe")
        request.resultType = .dictionaryResultType
        request.predicate = NSPredicate(format: "course != nil")
        request.propertiesToGroupBy = ["course.name"]
        request.propertiesToFetch = [
            "course.name", aggregate("count", "count:", "name", .integer64AttributeType),
            aggregate("average", "average:", "rating", .doubleAttributeType),
            aggregate("longest", "max:", "preparationMinutes", .integer32AttributeType),
        ]
        request.sortDescriptors = [NSSortDescriptor(key: "course.name", ascending: true)]
        return try context.fetch(request).compactMap { row in
            guard let course = row["course.name"] as? String else { return nil }
            return CourseSummary(
                course: course, recipes: row["count"] as? Int ?? 0, averageRating: row["average"] as? Double ?? 0,
                longest: row["longest"] as? Int ?? 0)
        }
    }

    /// How long all recipes take together.
    func totalMinutes() throws -> Int {
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Recipe")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [aggregate("total", "sum:", "preparationMinutes", .integer64AttributeType)]
        let rows = try context.fetch(request) as? [[String: Any]]
        return rows?.first?["total"] as? Int ?? 0
    }

    /// The names of all ingredients, each once.
    func ingredientNames() throws -> [String] {
        let request = NSFetchRequest<NSDictionary>(entityName: "Ingredient")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["name"]
        request.returnsDistinctResults = true
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return try context.fetch(request).compactMap { $0["name"] as? String }
    }

    /// How many recipes there are, by a request whose result is the count.
    func numberOfRecipes() throws -> Int {
        let request = NSFetchRequest<NSNumber>(entityName: "Recipe")
        request.resultType = .countResultType
        return try context.fetch(request).first?.intValue ?? 0
    }

    /// The average rating of a course's recipes, of the objects that the context has.
    func averageRating(of course: Course) -> Double {
        course.value(forKeyPath: "recipes.@avg.rating") as? Double ?? 0
    }

    private func aggregate(_ name: String, _ function: String, _ key: String, _ type: NSAttributeType) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = NSExpression(forFunction: function, arguments: [NSExpression(forKeyPath: key)])
        description.expressionResultType = type
        return description
    }
}
