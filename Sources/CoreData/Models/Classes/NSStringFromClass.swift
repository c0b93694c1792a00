import Foundation

/// Returns the name of a class of managed objects, with its module, for ``NSEntityDescription/managedObjectClassName``.
///
/// Foundation's function of the name traps for nested and private classes; overload resolution prefers this one.
public func NSStringFromClass(_ aClass: NSManagedObject.Type) -> String { String(reflecting: aClass) }
