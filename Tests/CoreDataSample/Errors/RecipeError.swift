import CoreData
import Foundation

/// What may be wrong with a recipe, beyond the rules of the model.
///
/// The errors are in the form of Core Data's own.
enum RecipeError {
    static let domain = "RecipeErrorDomain"

    enum Code: Int {
        case blankName = 1
        case unlovedFavorite = 2
    }

    static func blankName(_ recipe: Recipe) -> any Error {
        error(.blankName, recipe, key: "name", "The name is blank.")
    }

    static func unlovedFavorite(_ recipe: Recipe) -> any Error {
        error(.unlovedFavorite, recipe, key: "rating", "A favorite needs three stars or more.")
    }

    private static func error(_ code: Code, _ recipe: Recipe, key: String, _ text: String) -> any Error {
        NSError(
            domain: domain, code: code.rawValue,
            userInfo: [
                NSLocalizedDescriptionKey: text, NSValidationObjectErrorKey: recipe, NSValidationKeyErrorKey: key,
            ])
    }
}

/// What may go wrong in an import.
enum ImportError: Error {
    case wrongDataFormat(any Error)
    case missingData
    case batchInsertFailed
    case batchDeleteFailed
}

extension ImportError: LocalizedError {
    var errorDescription: String? {
        switch self {
        case .wrongDataFormat(let error): "The feed cannot be read: \(error)"
        case .missingData: "A recipe of the feed has no name or no identifier."
        case .batchInsertFailed: "The recipes could not be inserted."
        case .batchDeleteFailed: "The items could not be deleted."
        }
    }
}
