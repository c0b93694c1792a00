/// What every participant does with the archive, in this order.
public enum ArchiveStep: String, Sendable, Codable, CaseIterable {
    /// Store every row in one transaction, with every index. Answers how many rows were given.
    case importing = "import"
    /// Open the files in a new process and read the first package by its name.
    case open = "cold open"
    /// Count each of the six entities.
    case counts = "count"
    /// Find packages by name; read each version with its section, maintainer and tags.
    case byName = "by name"
    /// Read versions by key.
    case byID = "by key"
    /// Read the versions whose installed size lies in a range of about 1 %, many times.
    case range = "size range"
    /// Read the versions whose description contains a word, and the packages whose name has a prefix.
    case text = "text"
    /// Read the versions that carry a tag.
    case tagged = "by tag"
    /// Count the versions of each section and add up their installed sizes.
    case grouping = "group"
    /// Walk what a few packages depend on, over `Depends` and `Pre-Depends`, to the end.
    case closure = "closure"
    /// Read every version and every dependency, and touch every field once all are kept.
    case keepAll = "read all, keep"
    /// Read every version and every dependency, every field touched; what keeps no rows lets go of each.
    case readAll = "read all"
    /// Do what `update` does, but read the versions before the first is changed.
    case readUpdate = "read, update"
    /// Add 1 to the installed size and change the priority of 10 % of the versions, in one transaction.
    case update = "update"
    /// Change one version in each of many saves, each on the disk before the next begins.
    case singles = "small saves"
    /// Walk as `closure` does in several threads, while another one makes the saves of `singles`.
    case besideWriter = "beside a writer"
    /// Do what `delete` does, but read all that is deleted, and what depends on it, before.
    case readDelete = "read, delete"
    /// Delete 2 % of the packages with their versions, dependencies and tag links, in one transaction; what depended on them stays, without target.
    case delete = "delete"
    /// Count and read everything again in a new process: what the changes left.
    case verify = "verify"

    /// What the step does, in a line for the readers of a report.
    public var explanation: String {
        switch self {
        case .importing: "store every object in one transaction, with every index"
        case .open: "open the files in a new process and read one package by its name"
        case .counts: "count each of the six entities"
        case .byName: "find packages by name, and read each version with its section, maintainer and tags"
        case .byID: "read versions by key"
        case .range: "read the versions whose installed size lies in a range, many times"
        case .text: "read the versions whose description contains a word, and the packages whose name has a prefix"
        case .tagged: "read the versions that carry a tag"
        case .grouping: "count the versions of each section and add up their installed sizes"
        case .closure: "walk what a few packages depend on, to the end"
        case .keepAll: "read every version and every dependency, keep all of them, then touch every field"
        case .readAll: "read every version and every dependency, every field touched"
        case .readUpdate: "the same as update, but the versions are read first, as an object graph does"
        case .update: "change two fields of 10 % of the versions, in one transaction"
        case .singles: "change one version in each of 100 saves, each on the disk before the next begins"
        case .besideWriter: "walk the closure in 2 threads at once, while a third one makes the small saves, until all are done"
        case .readDelete: "the same as delete, but all that is deleted or changed is read first, as an object graph does"
        case .delete: "delete 2 % of the packages with all that belongs to them, in one transaction"
        case .verify: "count and read everything again in a new process, after the last run"
        }
    }

    /// Whether the step changes the files.
    public var writes: Bool {
        switch self {
        case .importing, .readUpdate, .update, .singles, .besideWriter, .readDelete, .delete: true
        default: false
        }
    }
}
