import Strata
import StrataStoreTool

/// Lines of objects of JSON with the same members, in the order of their names; of columns with the same name the first one is written.
struct JSONLines {
    /// The members: the index of the value, and the text before it.
    private var members: [(index: Int, prefix: [UInt8])] = []
    private var uris = ObjectURIs()

    init(_ names: [String] = []) {
        let first = Dictionary(zip(names, names.indices)) { first, _ in first }
        for (name, index) in first.sorted(by: { $0.key < $1.key }) {
            var prefix: [UInt8] = [UInt8(ascii: members.isEmpty ? "{" : ",")]
            JSON.append(name, to: &prefix)
            prefix.append(UInt8(ascii: ":"))
            members.append((index, prefix))
        }
    }

    /// Appends the line of some values.
    mutating func append(_ values: [Value], to line: inout [UInt8]) {
        if members.isEmpty { line.append(UInt8(ascii: "{")) }
        for (index, prefix) in members {
            line.append(contentsOf: prefix)
            append(values[index], to: &line)
        }
        line.append(contentsOf: "}\n".utf8)
    }

    private mutating func append(_ value: Value, to line: inout [UInt8]) {
        guard case .objectID(let id) = value, let prefix = uris.prefix(of: id) else { return value.json.append(to: &line) }
        line.append(UInt8(ascii: "\""))
        line.append(contentsOf: prefix)
        line.append(contentsOf: String(id.reference).utf8)
        line.append(UInt8(ascii: "\""))
    }
}
