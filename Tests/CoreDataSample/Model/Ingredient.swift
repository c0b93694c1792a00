import CoreData
import Foundation

/// What goes into a recipe.
///
/// The class is written by hand, and its properties are generated: the model says *Category/Extension* for its code generation.
public class Ingredient: NSManagedObject {
    /// The elements of the composite attribute.
    var measure: Quantity? {
        get { quantity.flatMap(Quantity.init) }
        set { quantity = newValue?.dictionary }
    }

    /// What to put on a shopping list.
    var shoppingAmount: String? {
        measure?.description ?? amount
    }

    /// The measured amount, times a factor; nothing where the amount is only a text.
    func measure(times factor: Double) -> Quantity? {
        measure.map { Quantity(value: $0.value * factor, unit: $0.unit) }
    }
}
