public import Foundation

/// What a fetch gives: managed objects, their IDs, dictionaries, or numbers.
///
/// It is a marker, for a value of any such type has to be a result itself, and of Swift's own protocols only markers hold for their own
/// existential types. A request is not cast to one for other results where the compiler knows both: `request as? NSFetchRequest<Person>`.
@_marker public protocol NSFetchRequestResult: AnyObject {}

extension NSManagedObject: NSFetchRequestResult {}
extension NSManagedObjectID: NSFetchRequestResult {}
extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}
