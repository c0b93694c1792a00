// `import CoreData` also imports Foundation, as on Apple's systems; an exported import is one of all files of the module.
@_exported public import Foundation
// Managed objects are hashable by their superclass: an interface with `Set<Person>` needs its declaration.
@_exported public import class StrataGraph.ManagedObject
