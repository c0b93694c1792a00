import CoreData
import Foundation

/// Brings the recipes of a feed into the cookbook.
struct RecipeImporter: Sendable {
    /// What an import did.
    struct Summary: Equatable, Sendable {
        var created = 0
        var updated = 0
        var skipped = 0
    }

    let container: RecipesContainer
    /// After how many recipes the context is saved and emptied.
    var batchSize = 50

    init(_ container: RecipesContainer, batchSize: Int = 50) {
        self.container = container
        self.batchSize = batchSize
    }

    /// Reads a file, and brings its recipes in with all that belongs to them.
    func importRecipes(from url: URL) async throws -> Summary {
        let data = try Data(contentsOf: url)
        return try await importRecipes(data)
    }

    /// Brings the recipes of a feed in, with their ingredients, courses and sources; those that are there are brought up to date.
    func importRecipes(_ data: Data) async throws -> Summary {
        let feed = try RecipeFeed(data: data)
        let context = container.newTaskContext()
        let batchSize = batchSize
        return try await context.perform {
            var summary = Summary(skipped: feed.skipped)
            for start in stride(from: 0, to: feed.items.count, by: batchSize) {
                let items = feed.items[start..<min(start + batchSize, feed.items.count)]
                try Self.update(with: items, in: context, &summary)
                try context.save()
                // Without this, the context keeps what it has saved until the import ends.
                context.reset()
            }
            return summary
        }
    }

    /// One fetch finds which recipes of a batch are there already.
    private static func update(
        with items: ArraySlice<RecipeFeed.Item>, in context: NSManagedObjectContext, _ summary: inout Summary
    ) throws {
        let request = Recipe.sortedFetchRequest
        request.predicate = NSPredicate(format: "identifier IN %@", items.map(\.identifier))
        request.relationshipKeyPathsForPrefetching = ["ingredients", "course"]
        request.returnsObjectsAsFaults = false
        let known = try context.fetch(request)
        var recipes = Dictionary(known.compactMap { recipe in recipe.identifier.map { ($0, recipe) } }) { first, _ in first }
        for item in items {
            if let recipe = recipes[item.identifier] {
                summary.updated += 1
                try recipe.update(with: item)
            } else {
                let recipe = Recipe(context: context)
                recipes[item.identifier] = recipe
                summary.created += 1
                try recipe.update(with: item)
            }
        }
    }

    /// Brings the recipes of a feed in without what belongs to them: no object is made, and the store does the work.
    ///
    /// - Returns: The IDs of the recipes.
    @discardableResult
    func insertOutlines(_ data: Data) async throws -> [NSManagedObjectID] {
        let feed = try RecipeFeed(data: data)
        guard !feed.items.isEmpty else { return [] }
        let context = container.newTaskContext()
        let ids = try await context.perform {
            let request = Self.batchInsertRequest(for: feed.items)
            request.resultType = .objectIDs
            guard let result = try context.execute(request) as? NSBatchInsertResult,
                let ids = result.result as? [NSManagedObjectID]
            else { throw ImportError.batchInsertFailed }
            return ids
        }
        // No notification tells of a batch.
        await container.viewContext.perform {
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSInsertedObjectsKey: ids], into: [container.viewContext])
        }
        return ids
    }

    private static func batchInsertRequest(for items: [RecipeFeed.Item]) -> NSBatchInsertRequest {
        var index = 0
        let total = items.count
        return NSBatchInsertRequest(
            entity: Recipe.entity(),
            dictionaryHandler: { dictionary in
                guard index < total else { return true }
                dictionary.addEntries(from: items[index].dictionaryValue)
                index += 1
                return false
            })
    }
}

extension Recipe {
    /// Takes what a feed says, on the queue of the recipe's context.
    fileprivate func update(with item: RecipeFeed.Item) throws {
        guard let context = managedObjectContext else { return }
        identifier = item.identifier
        name = item.name
        overview = item.overview
        preparationMinutes = Int32(item.minutes)
        if let name = item.difficulty, let level = Difficulty(name: name) { self.level = level }
        if let rating = item.rating { self.rating = rating }
        tags = item.tags
        course = try item.course.map { try Course.named($0, in: context) }
        source = try item.source.map { try Source.named($0, in: context) }
        let old = orderedIngredients
        if let ingredients { removeFromIngredients(ingredients) }
        for ingredient in old { context.delete(ingredient) }
        for part in item.ingredients {
            let ingredient = Ingredient(context: context)
            ingredient.name = part.name
            ingredient.amount = part.amount
            ingredient.measure = part.value.map { Quantity(value: $0, unit: part.unit) }
            addToIngredients(ingredient)
        }
    }
}

extension Source {
    /// The book or the site of a title: what it is decides the entity.
    fileprivate static func named(_ origin: RecipeFeed.Origin, in context: NSManagedObjectContext) throws -> Source {
        let request: NSFetchRequest<Source> = Source.fetchRequest()
        request.predicate = NSPredicate(format: "title == %@", origin.title)
        request.fetchLimit = 1
        if let found = try context.fetch(request).first { return found }
        if let url = origin.url {
            let site = Website(context: context)
            site.title = origin.title
            site.url = url
            return site
        }
        let book = Book(context: context)
        book.title = origin.title
        book.author = origin.author
        book.page = origin.page ?? 1
        return book
    }
}
