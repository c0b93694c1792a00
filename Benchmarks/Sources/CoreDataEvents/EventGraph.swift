public import StrataWorkload

/// A graph of events in a store in memory, in one spelling or another.
public protocol EventGraph {
    /// Makes an object for each event, and saves all of them.
    func insert(_ events: [Event]) throws
    /// Fetches all objects into a new context, and touches all that they hold.
    func touchAll() throws -> Answer
    /// Fetches all objects, to be read and changed.
    mutating func load() throws
    /// Reads a number and a text of all objects that were loaded.
    func readLoaded() -> Int
    /// Sets a number of all objects that were loaded.
    func changeLoaded()
}
