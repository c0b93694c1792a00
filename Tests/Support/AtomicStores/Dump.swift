package import StrataEngine
package import StrataModel
import StrataStore

/// Everything in contents as text, so that differences show.
package func dump(_ contents: TableContents, _ model: ManagedObjectModel) -> String {
    var lines: [String] = ["\(contents.metadata.type) \(contents.metadata.storeID) \(contents.metadata.versionIdentifiers)"]
    for (name, hash) in contents.metadata.versionHashes.sorted(by: { $0.key < $1.key }) { lines.append("hash \(name) \(hash)") }
    for (key, value) in contents.metadata.userInfo.sorted(by: { $0.key < $1.key }) { lines.append("info \(key) \(spelled(value))") }
    for (root, last) in contents.lastReference.sorted(by: { $0.key < $1.key }) { lines.append("last \(root) \(last)") }
    for (root, rows) in contents.rows.sorted(by: { $0.key < $1.key }) {
        for row in rows {
            let entity = model.entities[row.entityIndex]
            var line = "row \(root) \(entity.name) \(row.reference) \(row.version)"
            for (slot, description) in entity.layout.indexedSlots where !row.isNull(slot) {
                let name = entity.properties[description.property].name
                line += " \(name)="
                if let bytes = description.kind.isVariable ? row.bytes(slot) : nil {
                    line += "\(Array(bytes))"
                } else {
                    line += String(row.rawWord(slot), radix: 16)
                }
            }
            lines.append(line)
        }
    }
    for (table, links) in contents.links.sorted(by: { $0.key < $1.key }) where !links.isEmpty {
        for link in links.sorted(by: { ($0.first, $0.second) < ($1.first, $1.second) }) {
            let (first, second) = (link.orderInFirst?.description ?? "-", link.orderInSecond?.description ?? "-")
            lines.append("link \(table) \(link.first) \(link.second) \(first) \(second)")
        }
    }
    return lines.joined(separator: "\n")
}

/// A property list with its keys in order.
private func spelled(_ value: PropertyListValue) -> String {
    switch value {
    case .array(let values): "[" + values.map(spelled).joined(separator: ", ") + "]"
    case .dictionary(let values):
        "{" + values.sorted { $0.key < $1.key }.map { "\($0.key): \(spelled($0.value))" }.joined(separator: ", ") + "}"
    default: "\(value)"
    }
}
