import Foundation

/// The name of a class of managed objects, with its module, for ``NSEntityDescription/managedObjectClassName``.
///
/// Foundation's function of the name ends the program for a class within another type, or a private one; this one is preferred to it.
public func NSStringFromClass(_ aClass: NSManagedObject.Type) -> String { String(reflecting: aClass) }
