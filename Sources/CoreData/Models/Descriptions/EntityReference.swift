import StrataGraph

/// Refers to the description of an entity without keeping it, and without making it slower to keep for others: one is passed for each object that
/// is made.
@propertyWrapper
struct EntityReference {
    private var lifeline: Lifeline<NSEntityDescription>?

    init(wrappedValue: NSEntityDescription?) { lifeline = wrappedValue?.lifeline }

    var wrappedValue: NSEntityDescription? {
        get { lifeline?.object }
        set { lifeline = newValue?.lifeline }
    }
}
