public import Foundation

/// A result of a fetch: managed objects, their IDs, dictionaries, or numbers.
///
/// It is a marker protocol: a value of any such type has to be a result itself, and only markers apply to their own
/// existential types. A request is not cast to one for other results where the compiler knows both: `request as?
/// NSFetchRequest<Person>`.
@_marker public protocol NSFetchRequestResult: AnyObject {}

extension NSManagedObject: NSFetchRequestResult {}
extension NSManagedObjectID: NSFetchRequestResult {}
extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}
