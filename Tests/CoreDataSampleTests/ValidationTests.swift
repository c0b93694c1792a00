import CoreData
import Foundation
import Testing

@testable import CoreDataSample

@MainActor
struct ValidationTests {
    let container: RecipesContainer
    let presenter = ErrorPresenter()
    var context: NSManagedObjectContext { container.viewContext }

    init() throws { container = try makeContainer() }

    @Test("A violated rule of the model is reported with the object, the key and the value")
    func oneRule() throws {
        let recipe = try makeRecipe("Cake", rating: 6, in: context)
        let error = try #require(caught { try context.save() })
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.code == NSValidationNumberTooLargeError)
        #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "rating")
        #expect(error.userInfo[NSValidationObjectErrorKey] as? Recipe === recipe)
        #expect(error.userInfo[NSValidationValueErrorKey] as? Double == 6)
        let message = presenter.message(for: error)
        #expect(message.title == "Something is to be put right.")
        #expect(message.details.count == 1)
        #expect(message.details.first?.hasPrefix("Recipe “Cake”, rating: 6") == true)
        recipe.rating = 5
        try context.save()
    }

    @Test("Several violated rules are reported together")
    func severalRules() throws {
        let recipe = try makeRecipe(String(repeating: "x", count: 81), minutes: -1, in: context)
        let error = try #require(caught { try context.save() })
        #expect(error.code == NSValidationMultipleErrorsError)
        let details = try #require(error.userInfo[NSDetailedErrorsKey] as? [NSError])
        #expect(Set(details.map(\.code)) == [NSValidationStringTooLongError, NSValidationNumberTooSmallError])
        recipe.name = nil
        let other = try #require(caught { try recipe.validateForInsert() })
        let codes = (other.userInfo[NSDetailedErrorsKey] as? [NSError])?.map(\.code) ?? []
        #expect(Set(codes) == [NSValidationMissingMandatoryPropertyError, NSValidationNumberTooSmallError])
        #expect(presenter.message(for: other).details.first?.contains("name: is missing") == true)
    }

    @Test("A rule about several properties is reported with those of the model")
    func ownRules() throws {
        let recipe = try makeRecipe("Cake", minutes: -1, rating: 1, isFavorite: true, in: context)
        let error = try #require(caught { try context.save() })
        let message = presenter.message(for: error)
        #expect(message.title == "2 things are to be put right.")
        #expect(message.details.last == "Recipe “Cake”, rating: A favorite needs three stars or more.")
        recipe.preparationMinutes = 10
        let single = try #require(caught { try context.save() })
        #expect(single.domain == RecipeError.domain)
        #expect(presenter.message(for: single).details == ["Recipe “Cake”, rating: A favorite needs three stars or more."])
    }

    @Test("A rule for one property is asked in a save")
    func ownPropertyRule() throws {
        let recipe = try makeRecipe("   ", in: context)
        let error = try #require(caught { try context.save() })
        #expect(error.domain == RecipeError.domain)
        #expect(error.code == RecipeError.Code.blankName.rawValue)
        recipe.name = "Cake"
        try context.save()
        #expect(!context.hasChanges)
    }

    @Test("A course that has recipes is not deleted")
    func deniedDeletion() throws {
        let recipe = try makeRecipe("Cake", course: "Dessert", in: context)
        try context.save()
        let course = try #require(recipe.course)
        context.delete(course)
        let error = try #require(caught { try context.save() })
        #expect(error.code == NSValidationRelationshipDeniedDeleteError)
        #expect(presenter.message(for: error).details == ["Course “Dessert”, recipes: is still in use"])
        context.rollback()
        #expect(!course.isDeleted)
        context.delete(recipe)
        context.delete(course)
        try context.save()
        #expect(try Course.count(in: context) == 0)
    }

    @Test("Of two recipes with one identifier, the policy keeps one; without a policy the save says which rule")
    func uniqueness() throws {
        let first = try makeRecipe("Cake", rating: 2, in: context)
        try context.save()
        let other = container.newBackgroundContext()
        other.mergePolicy = NSErrorMergePolicy
        let identifier = first.identifier
        try other.performAndWait {
            let second = try makeRecipe("Torte", rating: 4, in: other)
            second.identifier = identifier
            let error = try #require(caught { try other.save() })
            #expect(error.code == NSManagedObjectConstraintMergeError)
            #expect(presenter.message(for: error).details == ["identifier"])
            other.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
            try other.save()
        }
        context.refreshAllObjects()
        let found = try Recipe.fetch(in: context)
        #expect(found.map(\.name) == ["Torte"])
        #expect(found.map(\.rating) == [4])
    }

    @Test("A stale change is a conflict, which a policy resolves by property")
    func conflicts() throws {
        let recipe = try makeRecipe("Cake", minutes: 10, rating: 2, in: context)
        try context.save()
        context.automaticallyMergesChangesFromParent = false
        let id = recipe.objectID
        let other = container.newBackgroundContext()
        try other.performAndWait {
            let same = try #require(try other.existingObject(with: id) as? Recipe)
            same.preparationMinutes = 99
            same.rating = 4
            try other.save()
        }
        recipe.rating = 3
        context.mergePolicy = NSErrorMergePolicy
        let error = try #require(caught { try context.save() })
        #expect(error.code == NSManagedObjectMergeError)
        let conflict = try #require((error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])?.first)
        #expect(conflict.sourceObject === recipe)
        #expect(presenter.message(for: error).details == ["Recipe “Cake”"])
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        try context.save()
        #expect(recipe.rating == 3)
        #expect(recipe.preparationMinutes == 99)
    }
}
