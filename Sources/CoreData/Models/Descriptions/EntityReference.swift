import StrataGraph

/// A weak reference to the description of an entity that does not slow down its reference counting: one is passed for
/// each created object.
@propertyWrapper
struct EntityReference {
    private var weakReference: WeakBox<NSEntityDescription>?

    init(wrappedValue: NSEntityDescription?) { weakReference = wrappedValue?.weakReference }

    var wrappedValue: NSEntityDescription? {
        get { weakReference?.object }
        set { weakReference = newValue?.weakReference }
    }
}
