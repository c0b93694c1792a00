import StrataStore

/// Writes the part before the objects.
struct InformationWriter {
    /// Appends everything up to the end of databaseInfo, with the offsets of ``ObjectNumbers``.
    func append(_ metadata: StoreMetadata, _ numberOffsets: [String: Int64], lastNumber: Int64, to out: inout ByteBuffer) {
        out.append(DocumentText.beginning)
        out.append("        <UUID>")
        TextEscape.append(metadata.storeID.rawValue, for: .metadata, to: &out)
        out.append("</UUID>\n        <nextObjectID>")
        out.append(integer: lastNumber)
        out.append("</nextObjectID>\n        <metadata>")
        if let values = StoreInformation.propertyList(metadata, numberOffsets) {
            out.append("\n            <plist version=\"1.0\">\n")
            append(.dictionary(values), depth: 1, to: &out)
            out.append("            </plist>\n        ")
        }
        out.append("</metadata>\n")
        out.append(DocumentText.informationEnd)
    }

    private func append(_ value: PropertyListValue, depth: Int, to out: inout ByteBuffer) {
        if case .uid(let uid) = value { return append(.dictionary(ofUID: uid), depth: depth, to: &out) }
        indent(depth, &out)
        switch value {
        case .bool(let flag): out.append(flag ? "<true></true>\n" : "<false></false>\n")
        case .int(let number): append(element: "integer", to: &out) { $0.append(integer: number) }
        case .double(let number): append(element: "real", to: &out) { NumberText.append(number, to: &$0) }
        case .string(let string): append(element: "string", to: &out) { TextEscape.append(string, for: .metadata, to: &$0) }
        case .date(let date): append(element: "date", to: &out) { $0.append(text: PropertyListDate.text(date)) }
        case .data(let data):
            out.append("<data>\n")
            unsafe data.withUnsafeBytes { unsafe Base64.append($0, prefix: "\t\t", to: &out) }
            out.append("\t\t</data>\n")
        case .array(let values):
            guard !values.isEmpty else { return out.append("<array></array>\n") }
            out.append("<array>\n")
            for value in values { append(value, depth: depth + 1, to: &out) }
            indent(depth, &out)
            out.append("</array>\n")
        case .dictionary(let values):
            guard !values.isEmpty else { return out.append("<dict></dict>\n") }
            out.append("<dict>\n")
            for (key, value) in values.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                indent(depth + 1, &out)
                append(element: "key", to: &out) { TextEscape.append(key, for: .metadata, to: &$0) }
                append(value, depth: depth + 1, to: &out)
            }
            indent(depth, &out)
            out.append("</dict>\n")
        case .uid: break
        }
    }

    private func append(element name: StaticString, to out: inout ByteBuffer, _ content: (inout ByteBuffer) -> Void) {
        out.append("<")
        out.append(name)
        out.append(">")
        content(&out)
        out.append("</")
        out.append(name)
        out.append(">\n")
    }

    private func indent(_ depth: Int, _ out: inout ByteBuffer) { for _ in 0..<(depth + 3) { out.append("    ") } }
}
