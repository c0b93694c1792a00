import StrataGraph

/// A weak reference to an entity's description, passed for each created object without side-table counting.
@propertyWrapper
struct EntityReference {
    private var weakReference: WeakBox<NSEntityDescription>?

    init(wrappedValue: NSEntityDescription?) { weakReference = wrappedValue?.weakReference }

    var wrappedValue: NSEntityDescription? {
        get { weakReference?.object }
        set { weakReference = newValue?.weakReference }
    }
}
