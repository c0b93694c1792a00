public import Foundation

/// The source of the value of one property of the destination.
open class NSPropertyMapping: NSObject {
    /// The name of the property in the destination.
    open var name: String?
    /// The expression of the value, with `$source`, the source object, `$manager`, `$entityPolicy` and other variables.
    ///
    /// Without one an attribute has its default, and a relationship is empty.
    open var valueExpression: NSExpression?
    /// Custom data of the application, which the migration ignores.
    open var userInfo: [AnyHashable: Any]?

    /// Creates a mapping of no property.
    public override init() { super.init() }

    /// The name and the expression, for a person to read.
    open override var description: String {
        "<NSPropertyMapping name \(name ?? ""), valueExpression \(valueExpression?.description ?? "(null)")>"
    }
}
