import Strata
import StrataStoreTool

/// What a line of the shell may continue with: commands, options, and the names of the model.
struct ShellCompletion: Sendable {
    private static let clauses = ["select", "where", "group", "having", "sort", "limit", "offset"]

    private let model: ManagedObjectModel

    init(_ model: ManagedObjectModel) { self.model = model }

    /// Returns the words that begin with the last one of a line.
    ///
    /// - Parameter word: The last word, behind white space, a bracket or an operator; empty where the line ends with one.
    func candidates(for word: String, in line: String) -> [String] {
        let before = line.dropLast(word.count).split(whereSeparator: \.isWhitespace).map(String.init)
        guard let command = before.first else { return matching(ShellCommand.names + ["help", "exit"], word) }
        if command == "help" { return matching(ShellCommand.names, word) }
        if word.hasPrefix("-") { return matching(ShellCommand.options(of: before), word) }
        if before.count == 1, let group = ShellCommand.groups[command] { return matching(group, word) }
        guard let entity = before.dropFirst().lazy.compactMap({ model.entity(named: $0) }).first else {
            return matching(model.entities.map(\.name), word)
        }
        let path = word.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var owner = entity
        for name in path.dropLast() {
            guard let relationship = owner.relationship(named: name) else { return [] }
            owner = model.destination(of: relationship)
        }
        let prefix = path.dropLast().map { $0 + "." }.joined()
        let names = owner.properties.filter { $0.relationship?.isHidden != true }.map { prefix + $0.name }
        return matching(names + (prefix.isEmpty ? ShellCompletion.clauses : []), word)
    }

    private func matching(_ names: [String], _ word: String) -> [String] {
        Set(names).filter { $0.lowercased().hasPrefix(word.lowercased()) }.sorted()
    }
}
