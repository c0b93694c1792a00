import CoreData
import Foundation

/// A recipe of the cookbook.
///
/// The class is written by hand; the model says *Manual/None* for its code generation.
public class Recipe: NSManagedObject {
    /// How hard it is to make; the attribute holds the raw value.
    var level: Difficulty {
        get { Difficulty(rawValue: difficulty) ?? .easy }
        set { difficulty = newValue.rawValue }
    }

    /// The ingredients, in the order in which they are needed.
    var orderedIngredients: [Ingredient] {
        ingredients?.array as? [Ingredient] ?? []
    }

    /// Other recipes of the same course, by a fetched property: fetched once, and again after a refresh.
    var alternatives: [Recipe] {
        value(forKey: "alternatives") as? [Recipe] ?? []
    }

    /// The preparation time as people say it.
    var preparationTime: String? {
        preparationMinutes > 0 ? PreparationTime.text(minutes: Int(preparationMinutes)) : nil
    }

    // MARK: - Life cycle

    public override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue(UUID(), forKey: "identifier")
        setPrimitiveValue(Date(), forKey: "createdAt")
    }

    public override func awakeFromFetch() {
        super.awakeFromFetch()
        updateInitial()
    }

    public override func willSave() {
        super.willSave()
        guard !isDeleted, hasPersistentChangedValues else { return }
        // A primitive value, since one that is set by its accessor would have willSave be called again.
        setPrimitiveValue(Date(), forKey: "editedAt")
        updateInitial()
    }

    /// Keeps the transient attribute in step with the name.
    func updateInitial() {
        let name = primitiveValue(forKey: "name") as? String
        setPrimitiveValue(name?.first.map { String($0).uppercased() } ?? "#", forKey: "initial")
    }

    // MARK: - Validation

    public override func validateValue(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
        try super.validateValue(value, forKey: key)
        if key == "name", let name = value.pointee as? String, name.trimmingCharacters(in: .whitespaces).isEmpty {
            throw RecipeError.blankName(self)
        }
    }

    public override func validateForInsert() throws {
        try validate { try super.validateForInsert() }
    }

    public override func validateForUpdate() throws {
        try validate { try super.validateForUpdate() }
    }

    /// Checks what concerns several properties at once, and tells all errors together.
    private func validate(_ properties: () throws -> Void) throws {
        var errors: [NSError] = []
        do { try properties() } catch let error as NSError {
            errors += error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error]
        }
        if isFavorite && rating < 3 {
            errors.append(RecipeError.unlovedFavorite(self) as NSError)
        }
        if errors.count > 1 {
            throw NSError(
                domain: NSCocoaErrorDomain, code: NSValidationMultipleErrorsError, userInfo: [NSDetailedErrorsKey: errors])
        }
        if let error = errors.first { throw error }
    }

}
