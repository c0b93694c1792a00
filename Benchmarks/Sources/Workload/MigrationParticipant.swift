/// What the migrations job measures, in this order; each begins with a store that has all events.
package enum MigrationStep: String, CaseIterable {
    /// Add an attribute without a value.
    case addEmpty = "add column"
    /// Add an attribute with a default, which all events get.
    case addDefault = "add with default"
    /// Give the entity a parent: all rows are written anew.
    case rewrite

    /// What the step does, in a line for the readers of a report.
    package var explanation: String {
        switch self {
        case .addEmpty: "add an attribute that no object has a value of"
        case .addDefault: "add a number that all objects get the default of"
        case .rewrite: "write all objects anew: their entity gets a parent; the peer copies the store by a batch insert"
        }
    }
}

/// One way to bring a store of events to another version.
///
/// One makes the store, and one for each step of each run works on a copy of it; ``prepare(_:)`` is not measured.
package protocol MigrationParticipant: AnyObject {
    static var name: String { get }
    static var kind: ParticipantKind { get }
    /// The participant that ratios are taken to.
    static var reference: String { get }
    static var steps: [MigrationStep] { get }

    init(directory: String) throws
    /// Makes the store, and closes it.
    func prepare(_ events: [Event]) throws
    /// - Returns: How many events there are afterwards.
    func perform(_ step: MigrationStep) throws -> Answer
}
