import CoreData
import Foundation

/// What somebody looks for.
struct RecipeSearch {
    var text = ""
    var course: Course?
    var maximumMinutes: Int?
    var levels: Set<Difficulty> = []
    /// Names of ingredients that all have to be in.
    var ingredients: [String] = []
    var onlyFavorites = false

    var predicate: NSPredicate? {
        var parts: [NSPredicate] = []
        if !text.isEmpty {
            parts.append(
                NSCompoundPredicate(orPredicateWithSubpredicates: [
                    NSPredicate(format: "name CONTAINS[cd] %@", text), NSPredicate(format: "overview CONTAINS[cd] %@", text),
                    NSPredicate(format: "ANY ingredients.name BEGINSWITH[cd] %@", text),
                ]))
        }
        if let course { parts.append(NSPredicate(format: "%K == %@", "course", course)) }
        if let maximumMinutes { parts.append(NSPredicate(format: "preparationMinutes BETWEEN {1, %d}", maximumMinutes)) }
        if !levels.isEmpty { parts.append(NSPredicate(format: "difficulty IN %@", levels.map(\.rawValue))) }
        for name in ingredients {
            parts.append(NSPredicate(format: "SUBQUERY(ingredients, $part, $part.name ==[c] %@).@count > 0", name))
        }
        if onlyFavorites { parts.append(NSPredicate(format: "isFavorite == %@", NSNumber(value: true))) }
        return parts.isEmpty ? nil : NSCompoundPredicate(andPredicateWithSubpredicates: parts)
    }

    func run(in context: NSManagedObjectContext) throws -> [Recipe] {
        try Recipe.fetch(in: context) { request in
            request.predicate = predicate
            request.fetchBatchSize = 20
        }
    }

    func count(in context: NSManagedObjectContext) throws -> Int {
        try Recipe.count(in: context, where: predicate)
    }

    /// Looks in the background, for results that many recipes have to be read for.
    func run(in context: NSManagedObjectContext, completion: @escaping ([Recipe]) -> Void) throws {
        let request = Recipe.sortedFetchRequest
        request.predicate = predicate
        let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request) { result in
            completion(result.finalResult ?? [])
        }
        try context.execute(asynchronous)
    }

    /// Recipes that are made in some minutes, by the request that the model has for it.
    static func quickRecipes(within minutes: Int, in context: NSManagedObjectContext) throws -> [Recipe] {
        let model = context.persistentStoreCoordinator?.managedObjectModel ?? RecipesModel.shared
        guard
            let request = model.fetchRequestFromTemplate(
                withName: "QuickRecipes", substitutionVariables: ["MINUTES": minutes])
        else { return [] }
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Recipe.preparationMinutes, ascending: true)]
        return try context.fetch(request) as? [Recipe] ?? []
    }

    /// One page of all recipes, newest first.
    static func page(_ number: Int, size: Int, in context: NSManagedObjectContext) throws -> [Recipe] {
        try Recipe.fetch(in: context) { request in
            request.sortDescriptors = [
                NSSortDescriptor(keyPath: \Recipe.createdAt, ascending: false),
                NSSortDescriptor(keyPath: \Recipe.name, ascending: true),
            ]
            request.fetchLimit = size
            request.fetchOffset = number * size
        }
    }
}
