import StrataGraph

/// Refers to the description of an entity without keeping it, and without making it slower to keep for others: one is passed for each object that
/// is made.
@propertyWrapper
struct EntityReference {
    private var weakReference: WeakBox<NSEntityDescription>?

    init(wrappedValue: NSEntityDescription?) { weakReference = wrappedValue?.weakReference }

    var wrappedValue: NSEntityDescription? {
        get { weakReference?.object }
        set { weakReference = newValue?.weakReference }
    }
}
