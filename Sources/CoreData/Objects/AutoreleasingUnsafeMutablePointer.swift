/// A pointer of Objective-C's methods, for overrides of `validateValue(_:forKey:)` as declared on Apple's systems.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>

extension UnsafeMutablePointer where Pointee == AnyObject? {
    /// Creates the pointer of a variable of any class, or of `AnyObject`.
    ///
    /// The object lives until the thread creates another pointer, as one that is autoreleased outlives its variable.
    public init<Object>(_ variable: UnsafeMutablePointer<Object>) {
        // References to objects have one layout, whether they are optional or not.
        unsafe self = UnsafeMutableRawPointer(variable).assumingMemoryBound(to: AnyObject?.self)
        Thread.current.threadDictionary["CoreData.AutoreleasingUnsafeMutablePointer"] = unsafe self.pointee
    }
}
