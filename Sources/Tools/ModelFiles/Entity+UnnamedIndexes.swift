import StrataModel

extension Entity {
    /// Adds an unnamed index of an old file, unless another one is over the same properties.
    mutating func addUnnamedIndex(over properties: [String]) {
        var index = FetchIndex("by" + properties.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() + "Index")
        index.elements = properties.map { .init($0) }
        guard !index.elements.isEmpty, !indexes.contains(where: { $0.elements == index.elements }) else { return }
        let (base, taken) = (index.name, Set(indexes.map(\.name)))
        var number = 2
        while taken.contains(index.name) {
            index.name = "\(base)\(number)"
            number += 1
        }
        indexes.append(index)
    }
}
