/// The behaviours of a context in which Strata's interface and Core Data's differ.
///
/// A module with other names for the graph chooses them once for its contexts; the graph never asks which module that
/// is.
package struct ContextSemantics: Sendable {
    /// Whether objects retain the destinations of their relationships that were read; else only the application retains
    /// objects.
    package var retainsDestinations = false
    /// Whether a merge registers a fault for each inserted object, so that change notifications list it.
    package var registersMergedInsertions = false
    /// Whether refreshing a new object without merging turns it into a fault, which fires with the values that the
    /// object has.
    package var turnsRefreshedInsertionsIntoFaults = false

    /// The semantics of Strata's own interface.
    package static let strata = ContextSemantics()
    /// The semantics of Core Data's interface.
    package static let coreData = ContextSemantics(
        retainsDestinations: true, registersMergedInsertions: true, turnsRefreshedInsertionsIntoFaults: true)
}
