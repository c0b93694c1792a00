public import Foundation

/// Says where the value of one property of the destination comes from.
open class NSPropertyMapping: NSObject {
    /// The name of the property in the destination.
    open var name: String?
    /// What gives the value: an expression of `$source`, the object as it was, `$manager`, `$entityPolicy` and their like.
    ///
    /// Without one an attribute has its default, and a relationship references nothing.
    open var valueExpression: NSExpression?
    /// What an application keeps beside the mapping; the migration does nothing with it.
    open var userInfo: [AnyHashable: Any]?

    /// A mapping of no property.
    public override init() { super.init() }

    /// The name and the expression, for a person to read.
    open override var description: String {
        "<NSPropertyMapping name \(name ?? ""), valueExpression \(valueExpression?.description ?? "(null)")>"
    }
}
