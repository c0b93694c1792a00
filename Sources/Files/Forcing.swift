/// What is forced to disk before a call that writes returns.
public enum Forcing: Sendable, Hashable {
    /// Content and names: writes survive a loss of power.
    case everything
    /// Content, before it gets its name: a loss of power may lose the last writes, but tears none.
    case content
    /// Nothing: writes survive the end of the process only, and a loss of power may lose or tear them.
    case nothing
}
