/// What a store did other than it should.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
    /// What was expected and what came.
    public let message: String
    /// The module and file of the check, as `#fileID` gives it.
    public let fileID: String
    /// The path of the file of the check, as `#filePath` gives it.
    public let filePath: String
    /// The line of the check, from 1.
    public let line: Int

    /// Creates a failure at a source location.
    public init(_ message: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line) {
        self.message = message
        self.fileID = fileID
        self.filePath = filePath
        self.line = line
    }

    /// The source location and the message.
    public var description: String { "\(fileID):\(line): \(message)" }
}
