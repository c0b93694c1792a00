import Foundation
import StrataQuery

/// The archived form of a fetch request.
struct ArchivedRequest: Codable {
    var entityName: String?
    var predicate: QueryPredicate?
    var sort: [QuerySort]?
    var limit: Int
    var offset: Int
    var batchSize: Int
    var resultType: UInt
    var includesSubentities: Bool
    var includesPropertyValues: Bool
    var includesPendingChanges: Bool
    var returnsObjectsAsFaults: Bool
    var returnsDistinctResults: Bool
    var prefetchedPaths: [String]?
    /// The names of the properties in dictionary results; computed ones are left out.
    var properties: [String]?

    init<Result>(_ request: NSFetchRequest<Result>) {
        entityName = request.entityName
        predicate = try? request.predicate?.tree()
        sort = request.sortDescriptors?.compactMap { try? $0.querySort() }
        limit = request.fetchLimit
        offset = request.fetchOffset
        batchSize = request.fetchBatchSize
        resultType = request.resultType.rawValue
        includesSubentities = request.includesSubentities
        includesPropertyValues = request.includesPropertyValues
        includesPendingChanges = request.includesPendingChanges
        returnsObjectsAsFaults = request.returnsObjectsAsFaults
        returnsDistinctResults = request.returnsDistinctResults
        prefetchedPaths = request.relationshipKeyPathsForPrefetching
        properties = request.propertiesToFetch?.compactMap { property in
            property is NSExpressionDescription ? nil : property as? String ?? (property as? NSPropertyDescription)?.name
        }
    }

    var request: NSFetchRequest<any NSFetchRequestResult> {
        let request = entityName.map { NSFetchRequest<any NSFetchRequestResult>(entityName: $0) } ?? NSFetchRequest()
        request.predicate = predicate.map { NSPredicate.make($0) }
        request.sortDescriptors = sort?.map { NSSortDescriptor.make($0) }
        request.fetchLimit = limit
        request.fetchOffset = offset
        request.fetchBatchSize = batchSize
        request.resultType = NSFetchRequestResultType(rawValue: resultType)
        request.includesSubentities = includesSubentities
        request.includesPropertyValues = includesPropertyValues
        request.includesPendingChanges = includesPendingChanges
        request.returnsObjectsAsFaults = returnsObjectsAsFaults
        request.returnsDistinctResults = returnsDistinctResults
        request.relationshipKeyPathsForPrefetching = prefetchedPaths
        request.propertiesToFetch = properties
        return request
    }
}
