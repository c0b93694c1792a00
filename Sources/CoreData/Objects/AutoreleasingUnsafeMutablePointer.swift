/// A pointer of Objective-C's methods, for overrides of `validateValue(_:forKey:)` as declared on Apple's systems.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>
