/// What an acknowledged write survives.
public enum Durability: Sendable, Hashable {
    /// A power loss: files and directories are forced to disk before the call returns.
    case full
    /// The end of the process; a power loss may lose the last writes, but tears none: content is forced to disk before it gets its name.
    case ordered
    /// The end of the process only; a power loss may lose or tear the last writes.
    case relaxed
}
