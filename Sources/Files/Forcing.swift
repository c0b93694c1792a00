/// What is forced to disk before a call that writes returns.
public enum Forcing: Sendable, Hashable {
    /// Content and names: what was written survives a loss of power.
    case everything
    /// Content, before it gets its name: a loss of power may lose the last writes, but tears none.
    case content
    /// Nothing: what was written survives the end of the process only, and a loss of power may lose or tear it.
    case nothing
}
