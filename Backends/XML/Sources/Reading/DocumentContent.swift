import StrataModel

/// The objects of a file, not connected with each other yet.
struct DocumentContent {
    /// A to-many relationship of an object, with its range of ``destinations``.
    struct List {
        /// The index of the object's row.
        let owner: Int
        let property: Int
        let destinations: Range<Int>
    }

    var rows: [Row] = []
    var lists: [List] = []
    var destinations: [Int64] = []
}
