import CoreData
import Foundation

/// Changes of many objects at once, which the store makes without loading them.
struct CookbookMaintenance: Sendable {
    let container: RecipesContainer

    init(_ container: RecipesContainer) { self.container = container }

    /// Takes the star from all recipes that are rated below a number.
    ///
    /// - Returns: How many there were.
    @discardableResult
    func removeStars(below rating: Double) async throws -> Int {
        try await update {
            let request = NSBatchUpdateRequest(entityName: "Recipe")
            request.predicate = NSPredicate(format: "isFavorite == YES AND rating < %lf", rating)
            request.propertiesToUpdate = ["isFavorite": false]
            return request
        }
    }

    /// Adds minutes to all recipes of a course, by an expression over each.
    @discardableResult
    func addMinutes(_ minutes: Int, toCourse name: String) async throws -> Int {
        try await update {
            let request = NSBatchUpdateRequest(entity: Recipe.entity())
            request.predicate = NSPredicate(format: "course.name == %@", name)
            request.propertiesToUpdate = ["preparationMinutes": NSExpression(format: "preparationMinutes + %d", minutes)]
            return request
        }
    }

    private func update(_ makeRequest: @escaping @Sendable () -> NSBatchUpdateRequest) async throws -> Int {
        let ids = try await container.performBackgroundTask { context in
            let request = makeRequest()
            request.resultType = .updatedObjectIDsResultType
            let result = try context.execute(request) as? NSBatchUpdateResult
            return result?.result as? [NSManagedObjectID] ?? []
        }
        await merge([NSUpdatedObjectsKey: ids])
        return ids.count
    }

    /// Removes what was bought.
    func clearShoppingList() async throws {
        let context = container.newTaskContext()
        let ids = try await context.perform {
            let done: NSFetchRequest<NSFetchRequestResult> = ShoppingItem.fetchRequest()
            done.predicate = NSPredicate(format: "isDone == YES")
            let request = NSBatchDeleteRequest(fetchRequest: done)
            request.resultType = .resultTypeObjectIDs
            guard let result = try context.execute(request) as? NSBatchDeleteResult,
                let ids = result.result as? [NSManagedObjectID]
            else { throw ImportError.batchDeleteFailed }
            return ids
        }
        await merge([NSDeletedObjectsKey: ids])
    }

    /// Removes recipes by their IDs.
    func delete(identifiedBy ids: [NSManagedObjectID]) async throws {
        guard !ids.isEmpty else { return }
        try await container.performBackgroundTask { context in
            let request = NSBatchDeleteRequest(objectIDs: ids)
            guard let result = try context.execute(request) as? NSBatchDeleteResult, result.result as? Bool == true else {
                throw ImportError.batchDeleteFailed
            }
        }
        await merge([NSDeletedObjectsKey: ids])
    }

    /// Removes recipes one by one, so that delete rules and validation are heeded.
    func deleteRecipes(ofCourse name: String) async throws {
        try await container.performBackgroundTask { context in
            let predicate = NSPredicate(format: "course.name == %@", name)
            for recipe in try Recipe.fetch(in: context, configure: { $0.predicate = predicate }) {
                context.delete(recipe)
            }
            try context.save()
        }
    }

    /// Has the screen see what a batch did.
    private func merge(_ changes: [String: [NSManagedObjectID]]) async {
        let context = container.viewContext
        await context.perform {
            NSManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [context])
        }
    }
}
