extension String {
    /// The text with escapes for what a terminal would take for a command, or what would turn or shift the rest of a line.
    ///
    /// - Parameter keepingLineEnds: Whether ends of lines stay.
    func escaped(keepingLineEnds: Bool = false) -> String {
        func isShown(_ scalar: Unicode.Scalar) -> Bool {
            if scalar == "\n" { return keepingLineEnds }
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: return false
            // It joins the parts of one character.
            case .format: return scalar.value == 0x200D
            default: return true
            }
        }
        guard !unicodeScalars.allSatisfy({ $0.isASCII && $0.value >= 0x20 && $0.value != 0x7F || isShown($0) }) else { return self }
        return unicodeScalars.map { isShown($0) ? String($0) : $0.escaped(asASCII: true) }.joined()
    }
}
