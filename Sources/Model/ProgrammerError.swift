/// Ends the process because of a mistake in the program that uses the library, and says which: also in release builds, in which
/// `preconditionFailure` says nothing.
package func programmerError(_ message: String, file: StaticString = #fileID, line: UInt = #line) -> Never {
    fatalError(message, file: file, line: line)
}
