import StrataModel

extension IndexPath {
    /// Creates the index path of an item in a section.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// Creates the index path of a row in a section.
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }

    /// The index of the section.
    ///
    /// - Precondition: The index path has two indexes.
    public var section: Int {
        get { index(at: 0) }
        set { self = IndexPath(item: item, section: newValue) }
    }

    /// The index of the item within its section.
    ///
    /// - Precondition: The index path has two indexes.
    public var item: Int {
        get { index(at: 1) }
        set { self = IndexPath(item: newValue, section: section) }
    }

    /// The index of the row within its section, the same as ``item``.
    ///
    /// - Precondition: The index path has two indexes.
    public var row: Int {
        get { item }
        set { item = newValue }
    }

    private func index(at position: Int) -> Int {
        guard count == 2 else {
            programmerError(
                "Invalid index path for use with a list: \(self). Index paths of lists hold two indexes, the section and the item.")
        }
        return self[position]
    }
}
