/// A pointer to where Objective-C's methods put an object, by which overrides of `validateValue(_:forKey:)` are declared on Apple's systems.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>
