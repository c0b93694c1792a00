// A file that says `import CoreData` has Foundation, too, as on Apple's systems.
@_exported public import Foundation
// Managed objects are hashable by their superclass: who has `Set<Person>` in an interface needs to see it.
@_exported public import class StrataGraph.ManagedObject
