/// The behaviours of a context in which Strata's interface and Core Data's differ; each module chooses its own once.
struct ContextSemantics: Sendable {
    /// Whether objects retain the destinations that were read; else only the application retains objects.
    var retainsDestinations = false
    /// Whether a merge registers a fault for each inserted object, so that change notifications list it.
    var registersMergedInsertions = false
    /// Whether refreshing a new object without merging turns it into a fault, which fires with the object's values.
    var turnsRefreshedInsertionsIntoFaults = false
    /// Whether automatic merging includes batch requests that do not reach all contexts.
    var mergesAllBatches = true

    static let strata = ContextSemantics()
    static let coreData = ContextSemantics(
        retainsDestinations: true, registersMergedInsertions: true, turnsRefreshedInsertionsIntoFaults: true,
        mergesAllBatches: false)
}
