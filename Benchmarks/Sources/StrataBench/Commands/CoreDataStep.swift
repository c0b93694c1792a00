import BenchReports

/// What is done by each name.
enum CoreDataStep: String, CaseIterable, ReportStep {
    static let strataName = "Strata's names"
    static let coreDataName = "import CoreData"
    static let modelName = "@Model"

    case insert
    case fetch
    case get
    case set

    var explanation: String {
        switch self {
        case .insert: "make new objects and save them"
        case .fetch: "fetch all objects and touch all that they hold"
        case .get: "read a number and a text of each object, ten times"
        case .set: "set a number of each object"
        }
    }
}
