import FoundationEssentials
import Strata

/// Fails where a condition does not hold.
func expect(
    _ condition: Bool,
    _ message: @autoclosure () -> String,
    fileID: String = #fileID,
    filePath: String = #filePath,
    line: Int = #line
) throws {
    if !condition { throw ConformanceFailure(message(), fileID: fileID, filePath: filePath, line: line) }
}

/// Fails where two values differ.
func expectEqual<T: Equatable>(
    _ actual: T,
    _ expected: T,
    _ message: @autoclosure () -> String = "",
    fileID: String = #fileID,
    filePath: String = #filePath,
    line: Int = #line
) throws {
    if actual == expected { return }
    throw ConformanceFailure(
        "\(brief(actual)) instead of \(brief(expected)) \(message())",
        fileID: fileID,
        filePath: filePath,
        line: line
    )
}

/// Fails where two texts have different bytes; `==` of `String` ignores how characters are composed.
func expectEqual(
    _ actual: String?,
    _ expected: String?,
    _ message: @autoclosure () -> String = "",
    fileID: String = #fileID,
    filePath: String = #filePath,
    line: Int = #line
) throws {
    // As data, which are compared at once: arrays are compared byte by byte.
    if actual.map({ Data($0.utf8) }) == expected.map({ Data($0.utf8) }) { return }
    throw ConformanceFailure(
        "\(brief(actual)) instead of \(brief(expected)) \(message())",
        fileID: fileID,
        filePath: filePath,
        line: line
    )
}

/// The value, which must be there.
func unwrap<T>(
    _ value: T?,
    _ message: @autoclosure () -> String = "nothing there",
    fileID: String = #fileID,
    filePath: String = #filePath,
    line: Int = #line
) throws -> T {
    guard let value else { throw ConformanceFailure(message(), fileID: fileID, filePath: filePath, line: line) }
    return value
}

/// The error of a type that a call must throw.
@discardableResult
func expectThrows<E: Error, T>(
    _ type: E.Type,
    fileID: String = #fileID,
    filePath: String = #filePath,
    line: Int = #line,
    _ body: () throws -> T
) throws -> E {
    do {
        let result = try body()
        throw ConformanceFailure("\(E.self) expected, and \(brief(result)) came", fileID: fileID, filePath: filePath, line: line)
    } catch let error as E where !(error is ConformanceFailure) {
        return error
    } catch let failure as ConformanceFailure {
        throw failure
    } catch {
        throw ConformanceFailure("\(E.self) expected, and this came: \(error)", fileID: fileID, filePath: filePath, line: line)
    }
}

/// The store's error, with one of some codes, that a call must throw.
@discardableResult
func expectStoreError<T>(
    _ codes: StoreError.Code...,
    fileID: String = #fileID,
    filePath: String = #filePath,
    line: Int = #line,
    _ body: () throws -> T
) throws -> StoreError {
    let error = try expectThrows(StoreError.self, fileID: fileID, filePath: filePath, line: line, body)
    try expect(codes.contains(error.code), "\(codes) expected, and this came: \(error)", fileID: fileID, filePath: filePath, line: line)
    return error
}

/// The failures of a save that must not pass validation, with Core Data's code for the whole.
@discardableResult
func expectInvalid(
    _ cocoaCode: Int,
    _ context: ManagedObjectContext,
    fileID: String = #fileID,
    filePath: String = #filePath,
    line: Int = #line
) throws -> [ValidationFailure] {
    let error = try expectThrows(ValidationError.self, fileID: fileID, filePath: filePath, line: line) { try context.save() }
    try expectEqual(error.cocoaCode, cocoaCode, "\(error)", fileID: fileID, filePath: filePath, line: line)
    try expect(context.hasChanges, "a failed save leaves the changes", fileID: fileID, filePath: filePath, line: line)
    return error.failures
}

/// The conflicts that a save must end with.
@discardableResult
func expectConflict(
    _ context: ManagedObjectContext,
    code: Int = 133020,
    fileID: String = #fileID,
    filePath: String = #filePath,
    line: Int = #line
) throws -> [SaveConflictError.Conflict] {
    let error = try expectThrows(SaveConflictError.self, fileID: fileID, filePath: filePath, line: line) { try context.save() }
    try expectEqual(error.cocoaCode, code, "\(error)", fileID: fileID, filePath: filePath, line: line)
    try expect(!error.conflicts.isEmpty, "no conflict is named", fileID: fileID, filePath: filePath, line: line)
    try expect(context.hasChanges, "a failed save leaves the changes", fileID: fileID, filePath: filePath, line: line)
    return error.conflicts
}

/// A value's text, shortened.
func brief<T>(_ value: T) -> String {
    let text = String(reflecting: value)
    return text.utf8.count > 300 ? "\(text.prefix(300))… (\(text.utf8.count) bytes)" : text
}
