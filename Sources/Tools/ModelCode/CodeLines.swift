/// Lines of generated code, with the imports that they need.
public struct CodeLines {
    /// The lines so far, with their indentation.
    public private(set) var lines: [String] = []
    var usesFoundation = false
    private var depth = 0

    /// Creates code without lines.
    public init() {}

    /// Adds a line, indented.
    public mutating func add(_ line: String) { lines.append(line.isEmpty ? "" : String(repeating: "    ", count: depth) + line) }

    /// Adds a line that ends with a brace, the lines of `body`, and the closing brace.
    ///
    /// - Throws: What `body` throws.
    public mutating func block<E: Error>(_ line: String, _ body: (inout CodeLines) throws(E) -> Void) throws(E) {
        add(line + " {")
        depth += 1
        try body(&self)
        depth -= 1
        add("}")
    }

    /// Adds a text of several lines unchanged.
    mutating func add(verbatim text: String) { lines.append(text) }

    /// Adds the lines of other code.
    public mutating func add(_ other: CodeLines) {
        lines += other.lines
        usesFoundation = usesFoundation || other.usesFoundation
    }
}
